package settings

import (
	"cmp"
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/operations"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ConnectionView is how the service is reached, and how it has answered.
type ConnectionView struct {
	ui.Page
	Setup     []Setting
	Differs   []Difference // from the cancellation document
	Token     operations.TokenState
	Clock     operations.ClockState
	Ahead     time.Duration // of the service's clock before ours, beyond doubt
	Inquiries bool          // the service has an operation to verify with
	Waits     models.Waits
	Shared    models.SharedAddress      // at which all terminals may post
	Test      operations.ConnectionTest // the last one; zero when there is none
	Answers   []operations.ReplyCount
	Errors    ui.Errors
}

// Difference is what the server was started with that the cancellation document says
// otherwise, as a text with its values.
type Difference struct {
	Code string
	Args []any
}

// Text is the difference in the reader's language.
func (d Difference) Text(ctx context.Context) string { return locale.T(ctx, d.Code, d.Args...) }

// Setting is one that the server was started with. A secret's value is ***.
type Setting struct{ Name, Value string }

// serviceDomains are what terminals must reach without restriction: the domain of the
// service as it is configured, and all its subdomains.
func (v *ConnectionView) serviceDomains() []string {
	for _, s := range v.Setup {
		u, err := url.Parse(s.Value)
		if s.Name != "CANCEL_BASE_URL" || err != nil || u.Hostname() == "" {
			continue
		}
		if _, err := netip.ParseAddr(u.Hostname()); err == nil {
			return []string{u.Hostname()}
		}
		return []string{u.Hostname(), "*." + u.Hostname()}
	}
	return nil
}

// clockText says how the service's clock differs from ours, of however little.
func (v *ConnectionView) clockText(ctx context.Context) string {
	if v.Clock.MeasuredAt.IsZero() && v.Ahead == 0 {
		return locale.T(ctx, "connection.clockNever")
	}
	if v.Ahead.Abs() < time.Second {
		return locale.T(ctx, "connection.clockSame")
	}
	return locale.T(ctx, ui.ClockKey(v.Ahead), "S", ui.Seconds(v.Ahead))
}

// clockRange says between what the difference lies.
func (v *ConnectionView) clockRange(ctx context.Context) string {
	between := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) }
	return locale.T(
		ctx, "connection.clockRange", "Least", between(v.Clock.Least), "Most", between(v.Clock.Max), "When",
		ui.Since(ctx, v.Page, &v.Clock.MeasuredAt),
	)
}

// tokenText says whether there is a token to use.
func (v *ConnectionView) tokenText(ctx context.Context) string {
	switch {
	case !v.Token.Fetched && v.Token.Cached:
		return locale.T(ctx, "connection.tokenGiven")
	case v.Token.Cached && !v.Token.Ends.IsZero():
		return locale.T(ctx, "connection.tokenUntil", "When", ui.Since(ctx, v.Page, &v.Token.Ends))
	case v.Token.Cached:
		return locale.T(ctx, "connection.tokenHeld")
	case v.Token.Fetched && v.Token.FailedAt.IsZero():
		return locale.T(ctx, "connection.tokenNotYet")
	}
	return locale.T(ctx, "connection.tokenNone")
}

// answerText puts a kind of answer into words.
func answerText(ctx context.Context, a *operations.ReplyCount) string {
	return ui.Maybe(ctx, "detail.", cmp.Or(string(a.Detail), string(a.Meaning)))
}

var meaningIcons = map[models.Meaning]string{
	models.MeaningAccepted: "circle-check", models.MeaningRefused: "circle-x",
	models.MeaningNotSent: "ban", models.MeaningUnknown: "circle-question-mark",
}

// stepIcon distinguishes a successful step from a failed one.
func stepIcon(s *operations.ProbeStep) string {
	if s.OK {
		return "circle-check"
	}
	return "circle-x"
}

// failed reports whether a step of the last test went wrong.
func (v *ConnectionView) failed() bool {
	return slices.ContainsFunc(v.Test.Steps, func(s operations.ProbeStep) bool { return !s.OK })
}
