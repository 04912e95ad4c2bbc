package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Report is what was measured. Durations are in milliseconds, memory in MiB.
type Report struct {
	Sales       int     `json:"salesInTable"`
	Connections int     `json:"connections"`
	Page        Compare `json:"todaysPage"`          // of a store with 60 sales
	Busiest     Compare `json:"busiestStore"`        // of a store with 2,000
	BusyRatio   float64 `json:"busiestToTypical"`    // our requests per second there, to those of the page above
	ClickMedian float64 `json:"clickToFirstByteMs"`  // from the click's arrival to the first byte at the service
	ClickP99    float64 `json:"clickToFirstByteP99"` //
	ResultP99   float64 `json:"resultAnswerP99Ms"`   // of a terminal's post, one at a time
	DoorMedian  float64 `json:"doorAnswerMs"`        // at the results door, 200 posts and 400 lists a second
	DoorP99     float64 `json:"doorAnswerP99Ms"`     //
	SeenMedian  float64 `json:"postToOpenPageMs"`    // from a terminal's post to the list on an open page
	SeenWorst   float64 `json:"postToOpenPageMaxMs"` //
	APISales    float64 `json:"apiSalesPerSecond"`   // one sale a request
	APISaleP99  float64 `json:"apiSaleP99Ms"`        //
	APIRows     float64 `json:"apiRowsPerSecond"`    // in batches of a thousand
	APIBatchP99 float64 `json:"apiBatchP99Ms"`       //
	// A file of 100,000 sales, in seconds and MiB at most.
	ImportCommand       float64 `json:"importCommandSeconds"`
	ImportCommandMemory float64 `json:"importCommandMiB"`
	ImportChecked       float64 `json:"importUploadAndCheckSeconds"`
	ImportImported      float64 `json:"importConfirmedSeconds"`
	ImportServerMemory  float64 `json:"importServerMiB"`
	StartReady          float64 `json:"startToReadyMs"` // with the database up, the best of five
	Binary              float64 `json:"binaryMB"`       // this very program
	Idle                float64 `json:"idleMiB"`        // resident, after start
	Loaded              float64 `json:"loadedMiB"`      // resident, at most, under the load above
}

// Compare sets us beside the hand-written handler, in turns in one run.
type Compare struct {
	PerSecond     float64 `json:"perSecond"`
	HandPerSecond float64 `json:"handWrittenPerSecond"`
	Ratio         float64 `json:"ratio"`
	P99           float64 `json:"p99Ms"`
	HandP99       float64 `json:"handWrittenP99Ms"`
	Bytes         int     `json:"bytes"`
}

// JSON writes the report for programs.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Text writes the report for people, with what each number should be.
func (r *Report) Text(w io.Writer) {
	line := func(what, value, goal string) { fmt.Fprintf(w, "  %-44s %-34s %s\n", what, value, goal) }
	fmt.Fprintf(w, "%d sales, %d connections, ours and the hand-written handler in turns\n", r.Sales, r.Connections)
	compare := func(name string, c Compare, goal string) {
		line(name, fmt.Sprintf("%.0f/s of %.0f/s = %.2f", c.PerSecond, c.HandPerSecond, c.Ratio), goal)
		line("  p99", fmt.Sprintf("%.1f ms against %.1f ms", c.P99, c.HandP99), "at most 3 times")
	}
	compare(fmt.Sprintf("today's page, 60 sales (%d bytes)", r.Page.Bytes), r.Page, "at least 0.5")
	compare("today's page, 2,000 sales", r.Busiest, "")
	line("busiest store to typical store", fmt.Sprintf("%.2f", r.BusyRatio), "at least 0.7")
	line("click to first byte at the service", fmt.Sprintf("%.1f ms median, %.1f ms p99", r.ClickMedian, r.ClickP99), "under 20 ms")
	line("a terminal's post, answered (p99)", fmt.Sprintf("%.1f ms", r.ResultP99), "")
	line(fmt.Sprintf("results door, %d posts and %d lists a second", doorPosts, listReads),
		fmt.Sprintf("%.1f ms median, %.1f ms p99", r.DoorMedian, r.DoorP99), "p99 under 50 ms")
	line("from a post to an open page", fmt.Sprintf("%.0f ms median, %.0f ms at most", r.SeenMedian, r.SeenWorst), "under 1 s")
	line("sales by the API, one a request", fmt.Sprintf("%.0f/s, %.1f ms p99", r.APISales, r.APISaleP99), "at least 2,000/s")
	line("sales by the API, a thousand a request", fmt.Sprintf("%.0f/s, %.0f ms p99", r.APIRows, r.APIBatchP99), "at least 20,000/s")
	line("100,000 sales in a file, at the command line", fmt.Sprintf("%.1f s, %.0f MiB", r.ImportCommand, r.ImportCommandMemory), "under 15 s, 150 MB")
	line("  in the browser: uploaded and checked", fmt.Sprintf("%.1f s", r.ImportChecked), "")
	line("  then imported by the server's job", fmt.Sprintf("%.1f s, %.0f MiB", r.ImportImported, r.ImportServerMemory), "under 15 s, 150 MB")
	line("start to ready", fmt.Sprintf("%.0f ms", r.StartReady), "under 300 ms")
	line("this program", fmt.Sprintf("%.1f MB", r.Binary), "under 40 MB")
	line("memory idle", fmt.Sprintf("%.1f MiB", r.Idle), "under 40 MiB")
	line("memory under load", fmt.Sprintf("%.1f MiB", r.Loaded), "under 80 MiB")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
