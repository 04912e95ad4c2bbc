package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Report contains the measurements. Durations are in milliseconds, memory in MiB. It
// omits what was not measured.
type Report struct {
	Sales       int     `json:"salesInTable"`
	Connections int     `json:"connections"`
	Page        Compare `json:"todaysPage,omitzero"`           // of a store with 60 sales
	Busiest     Compare `json:"busiestStore,omitzero"`         // of a store with 2,000
	BusyRatio   float64 `json:"busiestToTypical,omitempty"`    // our requests per second there, to those of the page above
	ClickMedian float64 `json:"clickToFirstByteMs,omitempty"`  // from the click's arrival to the first byte at the service
	ClickP99    float64 `json:"clickToFirstByteP99,omitempty"` //
	ResultP99   float64 `json:"resultAnswerP99Ms,omitempty"`   // of a terminal's post, one at a time
	DoorMedian  float64 `json:"doorAnswerMs,omitempty"`        // at the results endpoint, 200 posts and 400 lists a second
	DoorP99     float64 `json:"doorAnswerP99Ms,omitempty"`     //
	SeenMedian  float64 `json:"postToOpenPageMs,omitempty"`    // from a terminal's post to the list on an open page
	SeenWorst   float64 `json:"postToOpenPageMaxMs,omitempty"` //
	Live        Live    `json:"live,omitzero"`                 // many open pages
	APISales    float64 `json:"apiSalesPerSecond,omitempty"`   // one sale a request
	APISaleP99  float64 `json:"apiSaleP99Ms,omitempty"`        //
	APIRows     float64 `json:"apiRowsPerSecond,omitempty"`    // in batches of a thousand
	APIBatchP99 float64 `json:"apiBatchP99Ms,omitempty"`       //
	// A file of 100,000 sales: seconds, and maximum MiB.
	ImportCommand       float64        `json:"importCommandSeconds,omitempty"`
	ImportCommandMemory float64        `json:"importCommandMiB,omitempty"`
	ImportChecked       float64        `json:"importUploadAndCheckSeconds,omitempty"`
	ImportImported      float64        `json:"importConfirmedSeconds,omitempty"`
	ImportServerMemory  float64        `json:"importServerMiB,omitempty"`
	Sealing             Sealing        `json:"sealing,omitzero"`
	Trail               TrailReport    `json:"trail,omitzero"`
	Verifying           Verifying      `json:"verifying,omitzero"`
	Exports             []ExportReport `json:"exports,omitempty"`
	StartReady          float64        `json:"startToReadyMs,omitempty"` // with the database up, the best of five
	Binary              float64        `json:"binaryMB,omitempty"`       // the product
	Idle                float64        `json:"idleMiB,omitempty"`        // resident, after start
	Loaded              float64        `json:"loadedMiB,omitempty"`      // resident, at most, under the load above
}

// Compare has our numbers and the hand-written handler's, measured alternately in
// one run.
type Compare struct {
	PerSecond     float64 `json:"perSecond"`
	HandPerSecond float64 `json:"handWrittenPerSecond"`
	Ratio         float64 `json:"ratio"`
	P99           float64 `json:"p99Ms"`
	HandP99       float64 `json:"handWrittenP99Ms"`
	Bytes         int     `json:"bytes"`
}

// JSON writes the report as JSON.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Text writes the report as text, with the goal of each number.
func (r *Report) Text(w io.Writer) {
	if r.Sales > 0 {
		fmt.Fprintf(w, "%d sales, %d connections, ours and the hand-written handler in turns\n", r.Sales, r.Connections)
	}
	// measured is 0 only when it was not measured.
	line := func(measured float64, what, goal, format string, values ...any) {
		if measured > 0 {
			fmt.Fprintf(w, "  %-44s %-34s %s\n", what, fmt.Sprintf(format, values...), goal)
		}
	}
	compare := func(name string, c Compare, goal string) {
		line(c.Ratio, name, goal, "%.0f/s of %.0f/s = %.2f", c.PerSecond, c.HandPerSecond, c.Ratio)
		line(c.Ratio, "  p99", "at most 3 times", "%.1f ms against %.1f ms", c.P99, c.HandP99)
	}
	compare(fmt.Sprintf("today's page, 60 sales (%d bytes)", r.Page.Bytes), r.Page, "at least 0.5")
	compare("today's page, 2,000 sales", r.Busiest, "")
	line(r.BusyRatio, "busiest store to typical store", "at least 0.7", "%.2f", r.BusyRatio)
	line(r.ClickP99, "click to first byte at the service", "under 20 ms", "%.1f ms median, %.1f ms p99", r.ClickMedian, r.ClickP99)
	line(r.ResultP99, "a terminal's post, answered (p99)", "", "%.1f ms", r.ResultP99)
	line(r.DoorP99, fmt.Sprintf("results door, %d posts and %d lists a second", doorPosts, listReads), "p99 under 50 ms",
		"%.1f ms median, %.1f ms p99", r.DoorMedian, r.DoorP99)
	line(r.SeenWorst, "from a post to an open page", "under 1 s", "%.0f ms median, %.0f ms at most", r.SeenMedian, r.SeenWorst)
	l := r.Live
	line(l.Resident, fmt.Sprintf("%d open pages, one change a second", l.Pages), "",
		"%.1f MiB (%.1f before), %.1f %% of a core", l.Resident, l.Before, l.CPU)
	line(l.ToldMedian, "  from the change to their event", "under 1 s", "%.0f ms median, %.0f ms p99", l.ToldMedian, l.ToldP99)
	line(l.Ratio, "  clicks beside them, and alone", "", "%.1f ms of %.1f ms = %.2f (p99 %.1f and %.1f)", l.ClickBeside, l.ClickAlone,
		l.Ratio, l.BesideP99, l.AloneP99)
	line(r.APISales, "sales by the API, one a request", "at least 2,000/s", "%.0f/s, %.1f ms p99", r.APISales, r.APISaleP99)
	line(r.APIRows, "sales by the API, a thousand a request", "at least 20,000/s", "%.0f/s, %.0f ms p99", r.APIRows, r.APIBatchP99)
	line(r.ImportCommand, "100,000 sales in a file, at the command line", "under 15 s, 150 MB", "%.1f s, %.0f MiB", r.ImportCommand,
		r.ImportCommandMemory)
	line(r.ImportChecked, "  in the browser: uploaded and checked", "", "%.1f s", r.ImportChecked)
	line(r.ImportImported, "  then imported by the server's job", "under 15 s, 150 MB", "%.1f s, %.0f MiB", r.ImportImported,
		r.ImportServerMemory)
	r.Trail.text(w)
	exportText(w, r.Exports)
	v := r.Verifying
	line(v.Database, fmt.Sprintf("verifying %d entries in the database", v.Entries), "1,000,000 under 5 s", "%.1f s", v.Database)
	line(v.File, fmt.Sprintf("  in a file of %d MB", v.Bytes/1e6), "under 5 s", "%.1f s", v.File)
	line(v.ProofP99, "proving an entry, and checking it", "under 50 ms", "%.1f ms median, %.1f ms p99", v.Proof, v.ProofP99)
	s := r.Sealing
	line(s.PerSecond, fmt.Sprintf("sealing, %.0f entries a second", s.PerSecond), "p99 under 2 s at 5,000/s", "%.0f ms median, %.0f ms p99",
		s.LagMedian, s.LagP99)
	line(s.Ratio, "recording with sealing, and without", "at least 0.9", "%.0f/s of %.0f/s = %.2f", s.On, s.Off, s.Ratio)
	line(r.StartReady, "start to ready", "under 300 ms", "%.0f ms", r.StartReady)
	line(r.Binary, "the program", "under 40 MB", "%.1f MB", r.Binary)
	line(r.Idle, "memory idle", "under 40 MiB", "%.1f MiB", r.Idle)
	line(r.Loaded, "memory under load", "under 80 MiB", "%.1f MiB", r.Loaded)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
