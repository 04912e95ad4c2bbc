package web

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"veinte/models"
	"veinte/models/rules"
	"veinte/views/locale"
	settingsview "veinte/views/settings"
)

// checkTimes holds the first values of the rules to the bounds of their page.
func (s *settings) checkTimes(m *mistakes, c *checked) {
	c.waits.Result = c.duration(m, "RESULT_WAIT", s.ResultWait, rules.WaitBounds)
	c.waits.Quiet = c.duration(m, "QUIET_TIME", s.QuietTime, rules.WaitBounds)
	c.window.Margin = c.duration(m, "CUTOFF_MARGIN", s.CutoffMargin, rules.MarginBounds)
	if calendar, err := models.NewCalendar(s.Cutoff, "UTC"); err != nil {
		m.add("CUTOFF", "%v", err)
	} else if !rules.CutoffAllowed(calendar.Standard) {
		m.add("CUTOFF", "%q is not between 00:30 and 23:59", s.Cutoff)
	}
	if _, err := models.NewCalendar("20:00", s.CutoffZone); err != nil {
		m.add("CUTOFF_ZONE", "%v", err)
	}
	c.window.Calendar, _ = models.NewCalendar(s.Cutoff, s.CutoffZone) // checked above
}

// testBounds are those of TEST_WAITS=on.
var testBounds = rules.Bounds{Least: 0, Most: time.Hour}

func (c *checked) duration(m *mistakes, name, value string, b rules.Bounds) time.Duration {
	if c.testWaits {
		b = testBounds
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < b.Least || d > b.Most {
		m.add(name, "%q is no time between %s and %s, such as 30s", value, b.Least, b.Most)
	}
	return d
}

// checkTestWaits lets nobody shorten the waits for a service that may be a real one.
func (s *settings) checkTestWaits(m *mistakes, c *checked) {
	c.testWaits = m.either("TEST_WAITS", cmp.Or(s.TestWaits, "off"), "on", "off")
	if u, err := url.Parse(s.CancelBaseURL); c.testWaits && (err != nil || !loopback(u.Hostname())) {
		m.add("TEST_WAITS", "is for tests against a service on this machine: CANCEL_BASE_URL names another")
	}
}

// differences are what the server was started with that the cancellation document
// says otherwise, or does not say: it takes requests until 20:00, Mexico City time, and
// shows no answer.
func (c *checked) differences(now time.Time) []settingsview.Difference {
	var list []settingsview.Difference
	if c.testWaits {
		list = append(list, settingsview.Difference{Code: "differs.testWaits"})
	}
	if c.waits.AckMeansCanceled {
		list = append(list, settingsview.Difference{Code: "differs.ackCanceled"})
	}
	document, err := models.NewCalendar(rules.ServiceCutoff.String(), rules.ServiceZone)
	if err != nil {
		return list
	}
	ours, zone := c.window.Calendar.Cutoff(now), c.window.Calendar.Zone().String()
	y, m, d := ours.Date()
	theirs := document.Cutoff(time.Date(y, m, d, 12, 0, 0, 0, document.Zone()))
	code := ""
	switch {
	case ours.Before(theirs):
		code = "differs.cutoffEarlier"
	case ours.After(theirs):
		code = "differs.cutoffLater"
	case zone != rules.ServiceZone:
		code = "differs.cutoffZone"
	default:
		return list
	}
	return append(list, settingsview.Difference{Code: code, Args: []any{
		"Cutoff", c.window.Calendar.Standard.String(), "Zone", zone, "There", ours.In(document.Zone()).Format("15:04"),
	}})
}

// notes are the differences in the words of the command line.
func (c *checked) notes(now time.Time) []string {
	var list []string
	ctx := locale.With(context.Background(), "en")
	for _, d := range c.differences(now) {
		list = append(list, d.Text(ctx))
	}
	return list
}
