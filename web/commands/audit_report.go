package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/views/locale"
)

// stateWords describe the verdicts.
var stateWords = map[string]string{
	string(trailfile.Intact):    "intact: every entry is as it was sealed",
	string(trailfile.Altered):   "ALTERED: something is not as it was sealed",
	string(trailfile.Undecided): "cannot decide",
}

// exitFor returns the exit code of a verdict as an error.
func exitFor(state string) error {
	switch state {
	case string(trailfile.Altered):
		return ExitError{exitAltered, errors.New("the trail was altered")}
	case string(trailfile.Undecided):
		return ExitError{exitUndecided, errors.New("whether the trail is intact cannot be decided")}
	}
	return nil
}

func firstly(i int) string {
	if i == 0 {
		return "first:"
	}
	return "  also:"
}

// printed prints a verdict as JSON.
func (v *auditVerifyCommand) printed(verdict any, state string) error {
	if err := json.NewEncoder(os.Stdout).Encode(verdict); err != nil {
		return err
	}
	return exitFor(state)
}

// trailReport is the JSON verdict on a database.
type trailReport struct {
	State       verify.State   `json:"state"`
	Size        int64          `json:"size"` // entries sealed
	Root        string         `json:"root"`
	SealedAt    *time.Time     `json:"sealedAt"` // null when nothing was sealed
	Checked     int64          `json:"entries"`
	Archived    int64          `json:"archived"`
	Unsealed    int64          `json:"unsealed"`
	Checkpoints int64          `json:"checkpoints"`
	Outside     int            `json:"checkpointsCompared"`
	Findings    []trailFinding `json:"findings"`
	More        int64          `json:"moreFindings"`
}

type trailFinding struct {
	Code   string `json:"code"`
	Entry  int64  `json:"id,omitempty"`
	N      int64  `json:"n"`
	Detail string `json:"detail,omitempty"`
}

// maxPrinted limits how many findings the text report prints.
const maxPrinted = 20

// reportTrail prints the result of verifying a database.
func (v *auditVerifyCommand) reportTrail(t *verify.Verdict) error {
	if v.JSON {
		r := trailReport{
			State: t.State, Size: t.Size, Root: t.Root.String(), Checked: t.Checked, Archived: t.Archived, Unsealed: t.Unsealed,
			Checkpoints: t.Checkpoints, Outside: t.Outside, Findings: []trailFinding{}, More: t.More,
		}
		if !t.SealedAt.IsZero() {
			r.SealedAt = &t.SealedAt
		}
		for _, f := range t.Findings {
			r.Findings = append(r.Findings, trailFinding{f.Code, f.EntryID, f.N, f.Detail})
		}
		return v.printed(r, string(t.State))
	}
	fmt.Println(stateWords[string(t.State)])
	fmt.Printf("%d entries are sealed", t.Size)
	if t.Size > 0 {
		fmt.Printf(", the last at %s\nroot %s", t.SealedAt.UTC().Format(time.RFC3339), t.Root)
	}
	fmt.Printf("\nentries verified %d, archived %d, not sealed yet %d; checkpoints %d, kept elsewhere and compared %d\n",
		t.Checked, t.Archived, t.Unsealed, t.Checkpoints, t.Outside)
	if t.Outside == 0 {
		fmt.Println("no checkpoint that was kept elsewhere was given: whether the end was cut off together with its checkpoints is not known")
	}
	if t.First != nil {
		fmt.Println(firstly(0), inEnglish(t.First))
	}
	for i := range t.Findings[:min(len(t.Findings), maxPrinted)] {
		if f := &t.Findings[i]; f != t.First {
			fmt.Println(firstly(1), inEnglish(f))
		}
	}
	if more := t.More + int64(max(0, len(t.Findings)-maxPrinted)); more > 0 {
		fmt.Printf("and %d more; --json prints up to a thousand\n", more)
	}
	return exitFor(string(t.State))
}

// inEnglish describes a finding as the page does, followed by its details.
func inEnglish(f *verify.Finding) string {
	var where []string
	if f.EntryID != 0 {
		where = append(where, fmt.Sprintf("entry id %d", f.EntryID))
	}
	if f.N >= 0 {
		where = append(where, fmt.Sprintf("n %d", f.N))
	}
	words := f.Code
	if locale.Has(f.Code) {
		words = strings.TrimSuffix(locale.In("en", f.Code, f.Args()...), ".")
	}
	text := strings.Join(append(where, words), ", ")
	if f.Detail != "" {
		text += " (" + f.Detail + ")"
	}
	return text
}
