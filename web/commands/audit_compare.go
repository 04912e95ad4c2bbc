package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit/compare"
	"veinte/models/wiring"
)

type auditCompareCommand struct {
	trailURL `embed:""`
	JSON     bool `name:"json" help:"Print the verdict as JSON."`
}

// Run compares. An error that prevents it leaves the verdict undecided.
func (c *auditCompareCommand) Run(ctx context.Context) error {
	return Undecided(c.run(ctx))
}

func (c *auditCompareCommand) run(ctx context.Context) error {
	return c.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		stored, r, err := services.Compare.Run(ctx, actor)
		if r == nil {
			return err
		}
		if err != nil { // what was found is said all the same
			fmt.Fprintln(os.Stderr, err)
		}
		if c.JSON {
			return printComparison(stored, r)
		}
		return reportComparison(r)
	})
}

// comparisonReport is the JSON verdict.
type comparisonReport struct {
	ID int64 `json:"id,omitempty"` // 0 when it could not be stored
	*compare.Result
	Differences []compare.Difference `json:"differences"`
}

func printComparison(stored *compare.Comparison, r *compare.Result) error {
	report := comparisonReport{Result: r, Differences: append([]compare.Difference{}, r.Differences...)}
	if stored != nil {
		report.ID = stored.ID
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		return err
	}
	return compareExit(r.State)
}

// reportComparison prints the result in words.
func reportComparison(r *compare.Result) error {
	fmt.Println(say("compareState." + string(r.State)))
	fmt.Println(say("compareSays.read", "N", r.Entries, "At", r.At.Format(time.RFC3339)))
	for _, t := range r.Tables {
		fmt.Println(say("compareSays.table", "Table", t.Name, "Compared", t.Compared, "NotBound", t.NotBound, "Archived", t.Archived,
			"Differs", t.Differs))
	}
	if len(r.Months) > 0 {
		fmt.Println(say("compareSays.months", "Months", strings.Join(r.Months, ", ")))
	}
	for i := range r.Differences[:min(len(r.Differences), maxPrinted)] {
		d := &r.Differences[i]
		fmt.Println(firstly(i), say("compareSays."+string(d.Kind), "Table", d.Table, "Row", d.Row, "Field", d.Field, "Recorded", d.Recorded,
			"Found", d.Found, "Entry", d.EntryID))
		for _, t := range r.Tables {
			if t.Name == d.Table && len(t.Roles) > 0 {
				fmt.Println("   ", say("compareSays.roles", "Roles", strings.Join(t.Roles, ", ")))
			}
		}
	}
	if more := r.More + int64(max(0, len(r.Differences)-maxPrinted)); more > 0 {
		fmt.Println(say("trailVerify.moreJSON", "N", more))
	}
	return compareExit(r.State)
}

func compareExit(state compare.State) error {
	switch state {
	case compare.Altered:
		return ExitError{exitAltered, errors.New(say("compareEnd.altered"))}
	case compare.Undecided:
		return ExitError{exitUndecided, errors.New(say("compareEnd.undecided"))}
	}
	return nil
}
