package oversight

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"veinte/models/oversight"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// What a page shows at most: more is in the file.
const (
	patternsShown = 100 // findings
	maxShown      = 300 // of one finding on its page
)

// fewPeriods are those that are looked at again and again: a longer one is adjusted.
const fewPeriods = 4

// kindOptions are the patterns of which there is anything, with how many instances nobody
// has handled.
func (v *PatternsView) kindOptions(ctx context.Context) []ui.Option {
	count := func(kinds ...oversight.FindingKind) string {
		n := 0
		for _, kind := range kinds {
			n += v.Found.New[kind] + v.Found.FewNew[kind]
		}
		return " (" + ui.Number(int64(n)) + ")"
	}
	options := []ui.Option{{Value: "", Text: locale.T(ctx, "oversight.all") + count(oversight.FindingKinds...)}}
	for _, kind := range oversight.FindingKinds {
		listed := slices.ContainsFunc(v.Found.List, func(f oversight.Finding) bool { return f.Kind == kind })
		if v.Found.New[kind]+v.Found.FewNew[kind] > 0 || listed || kind == v.Filter.Kind {
			options = append(options, ui.Option{Value: string(kind), Text: locale.T(ctx, "oversight.find."+string(kind)) + count(kind)})
		}
	}
	return options
}

// asked are the fields of the filter apart from its kind, as an address has them.
func (v *PatternsView) asked() [][2]string {
	at, err := url.Parse(patternsOf("", v.Found.Filter, ""))
	if err != nil {
		return nil
	}
	var fields [][2]string
	for _, name := range []string{"from", "to", "store", "minutes", "times", "days"} {
		if value := at.Query().Get(name); value != "" {
			fields = append(fields, [2]string{name, value})
		}
	}
	return fields
}

// handledBy names who handled it last; "" for nobody, and for one whom the reader does
// not see.
func handledBy(f *oversight.Finding) string {
	for i := len(f.Marks) - 1; i >= 0; i-- {
		if !f.Marks[i].Hidden() {
			return f.Marks[i].Marker
		}
	}
	return ""
}

// parted separates the judged findings from those with too little data.
func (v *PatternsView) parted() (judged, few []oversight.Finding) {
	for _, f := range v.Found.List[:min(len(v.Found.List), patternsShown)] {
		if f.Few && !f.Outlier {
			few = append(few, f)
		} else {
			judged = append(judged, f)
		}
	}
	return judged, few
}

// choice is a chosen number, or what is chosen unless somebody says otherwise.
func choice(n int, name string) string {
	if n == 0 {
		n = defaultChoice[name]
	}
	return strconv.Itoa(n)
}

// trailURL is where the trail has what a person was refused.
func (v *FindingView) trailURL() string {
	q := url.Values{}
	ui.SetID(q, "person", v.Finding.ID)
	ui.Set(q, "from", string(v.Found.Filter.From))
	ui.Set(q, "to", string(v.Found.Filter.To))
	return ui.Address("/audit", q)
}

// SubjectName names who asked; of an entry, who it is about.
func (v *PatternsView) SubjectName(ctx context.Context, c *oversight.Cancellation) string {
	if c.Action != "" {
		return c.Name
	}
	return whoName(ctx, c.Requester, c.Name)
}

func (v *PatternsView) ReasonText(ctx context.Context, c *oversight.Cancellation) string {
	if c.Action != "" {
		return words.ReasonText(ctx, v.Reasons, c.Reason)
	}
	return words.ReasonLabel(ctx, v.Reasons, c.Reason)
}
