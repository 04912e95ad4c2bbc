package oversight

import (
	"context"
	"net/url"
	"strconv"

	"veinte/models/oversight"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// What a page shows at most: more is in the file.
const (
	patternsShown = 100 // findings
	maxListed     = 10  // of each
	maxShown      = 300 // of one finding on its page
)

// tabName names a pattern, or all of them, with how many instances nobody has
// looked at.
func (v *PatternsView) tabName(ctx context.Context, title string, kinds ...oversight.FindingKind) string {
	n := 0
	for _, kind := range kinds {
		n += v.Found.New[kind] + v.Found.FewNew[kind]
	}
	return locale.T(ctx, title) + " (" + ui.Number(int64(n)) + ")"
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
