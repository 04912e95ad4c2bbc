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

// say gives the words for a key in the language of the system.
func say(key string, args ...any) string { return locale.In(locale.OfSystem(os.Getenv), key, args...) }

// exitFor returns the exit code of a verdict as an error.
func exitFor(state string) error {
	switch state {
	case string(trailfile.Altered):
		return ExitError{exitAltered, errors.New(say("trailEnd.altered"))}
	case string(trailfile.Undecided):
		return ExitError{exitUndecided, errors.New(say("trailEnd.undecided"))}
	}
	return nil
}

func firstly(i int) string {
	if i == 0 {
		return say("trailVerify.first")
	}
	return say("trailVerify.also")
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
	Remarks     []trailFinding `json:"remarks,omitempty"`
	Whole       verify.Whole   `json:"whole"`
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
			Checkpoints: t.Checkpoints, Outside: t.Outside, Findings: []trailFinding{}, More: t.More, Whole: t.Whole,
		}
		if !t.SealedAt.IsZero() {
			r.SealedAt = &t.SealedAt
		}
		for _, f := range t.Findings {
			r.Findings = append(r.Findings, trailFinding{f.Code, f.EntryID, f.N, f.Detail})
		}
		for _, f := range t.Remarks {
			r.Remarks = append(r.Remarks, trailFinding{f.Code, f.EntryID, f.N, f.Detail})
		}
		return v.printed(r, string(t.State))
	}
	PrintTrail(t)
	return exitFor(string(t.State))
}

// PrintTrail prints the result of verifying a database in words.
func PrintTrail(t *verify.Verdict) {
	fmt.Println(say("trailState." + string(t.State)))
	if t.Size > 0 {
		fmt.Println(say("trailVerify.sealedTo", "N", t.Size, "At", t.SealedAt.UTC().Format(time.RFC3339)))
		fmt.Println(say("trailVerify.root", "Root", t.Root))
	} else {
		fmt.Println(say("trailVerify.sealed", "N", t.Size))
	}
	fmt.Println(say("trailVerify.checked", "Checked", t.Checked, "Archived", t.Archived, "Unsealed", t.Unsealed,
		"Checkpoints", t.Checkpoints, "Outside", t.Outside))
	if t.Outside == 0 {
		fmt.Println(say("trailVerify.noneOutside"))
	}
	printWhole(t)
	if t.First != nil {
		fmt.Println(firstly(0), inWords(t.First))
	}
	for i := range t.Findings[:min(len(t.Findings), maxPrinted)] {
		if f := &t.Findings[i]; f != t.First {
			fmt.Println(firstly(1), inWords(f))
		}
	}
	for i := range t.Remarks {
		fmt.Println(say("trailVerify.remark"), inWords(&t.Remarks[i]))
	}
	if more := t.More + int64(max(0, len(t.Findings)-maxPrinted)); more > 0 {
		fmt.Println(say("trailVerify.moreJSON", "N", more))
	}
}

// printWhole prints what has to be known beside the verdict.
func printWhole(t *verify.Verdict) {
	w, in := &t.Whole, func(at *time.Time) string { return at.UTC().Format(time.RFC3339) }
	if t.State == verify.Intact {
		fmt.Println(say("trailLevel.itself"))
		if w.Level() == verify.WithLeft {
			fmt.Println(say("trailLevel.left", "Until", in(w.Until), "Since", in(w.Since)))
		}
		fmt.Println(say("trailLevel.notYet"))
	}
	if w.Oldest != nil {
		fmt.Println(say("trailVerify.oldest", "At", in(w.Oldest)))
	}
	for i := range w.Stops {
		s := &w.Stops[i]
		args := []any{"At", in(&s.StoppedAt), "Sealed", s.Sealed, "Seen", s.Seen, "Why", say("trouble." + s.Trouble)}
		if s.ResumedAt == nil {
			fmt.Println(say("trailVerify.stopped", args...))
		} else {
			fmt.Println(say("trailVerify.resumed", append(args, "Until", in(s.ResumedAt))...))
		}
	}
	for i := range w.Keys {
		fmt.Println(say("trailVerify.key", "At", in(&w.Keys[i])))
	}
	if w.Months > 0 {
		fmt.Println(say("trailVerify.months", "N", w.Months))
	}
}

// report prints the result of verifying a file.
func (v *auditVerifyCommand) report(verdict *trailfile.Verdict) error {
	if v.JSON {
		return v.printed(verdict, string(verdict.State))
	}
	c := verdict.Checkpoint
	fmt.Println(say("trailState." + string(verdict.State)))
	if c.Size > 0 {
		fmt.Println(say("trailVerify.checkpoint", "Origin", c.Origin, "Size", c.Size, "At", c.Time.Format(time.RFC3339)))
		fmt.Println(say("trailVerify.root", "Root", c.Root))
		fmt.Println(say("trailVerify.file", "N", verdict.Entries, "Left", verdict.LeftOut))
		v.kept(verdict)
		v.strangers(verdict)
	}
	if verdict.LeftOut > 0 {
		fmt.Println(say("trailVerify.lacks", "N", verdict.LeftOut))
	}
	for i, f := range verdict.Findings {
		fmt.Println(firstly(i), fileFinding(f))
	}
	if verdict.More > 0 {
		fmt.Println(say("trailVerify.more", "N", verdict.More))
	}
	return exitFor(string(verdict.State))
}

// kept says what the checkpoints that were kept elsewhere are worth to a file, and what
// else is worth a remark.
func (v *auditVerifyCommand) kept(verdict *trailfile.Verdict) {
	switch {
	case verdict.Compared+verdict.NotCompared == 0 && verdict.Strangers.To > 0: // others vouch for it
	case verdict.Compared+verdict.NotCompared == 0:
		fmt.Println(say("trailVerify.noneKept"))
	default:
		fmt.Println(say("trailVerify.kept", "Compared", verdict.Compared, "Not", verdict.NotCompared))
	}
	for _, f := range verdict.Remarks {
		fmt.Println(say("trailVerify.remark"), fileFinding(f))
	}
}

// fileFinding describes a finding in a file, with where it stands.
func fileFinding(f trailfile.Finding) string {
	var where []string
	if f.N >= 0 {
		where = append(where, say("trailWhere.n", "N", f.N))
	}
	if f.ID != 0 {
		where = append(where, say("trailWhere.id", "N", f.ID))
	}
	if f.Line > 0 {
		where = append(where, say("trailWhere.line", "N", f.Line))
	}
	text := say("trailFinding." + string(f.Code))
	if len(where) > 0 {
		text = strings.Join(where, ", ") + ": " + text
	}
	return withDetail(text, f.Detail)
}

func withDetail(text, detail string) string {
	if detail == "" {
		return text
	}
	return text + " (" + detail + ")"
}

// inWords describes a finding as the page does, followed by its details.
func inWords(f *verify.Finding) string {
	var where []string
	if f.EntryID != 0 {
		where = append(where, say("trailWhere.entry", "N", f.EntryID))
	}
	if f.N >= 0 {
		where = append(where, say("trailWhere.leaf", "N", f.N))
	}
	words := f.Code
	if locale.Has(f.Code) {
		words = strings.TrimSuffix(say(f.Code, f.Args()...), ".")
	}
	return withDetail(strings.Join(append(where, words), ", "), f.Detail)
}
