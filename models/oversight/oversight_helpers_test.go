package oversight_test

import (
	"fmt"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/oversight"
)

func findings(t testing.TB, o *modelstest.Office, who models.Actor, f oversight.Filter) *oversight.Findings {
	t.Helper()
	found, err := o.Oversight.Findings(t.Context(), who, f)
	if err != nil {
		t.Fatalf("Findings(%+v) = %v", f, err)
	}
	return found
}

// summed writes findings as kind:subject:cancellations, with ! for outliers.
func summed(found *oversight.Findings) []string {
	var all []string
	for i := range found.List {
		f := &found.List[i]
		line := fmt.Sprintf("%s:%s:%d", f.Kind, f.Subject, len(f.Cancellations))
		if f.Outlier {
			line += "!"
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}
