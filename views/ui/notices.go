package ui

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/clocks"
)

// notices are what the reader should know, the worst first.
func (p Page) notices() (all []templ.Component) {
	add := func(holds bool, notice func(Page) templ.Component) {
		if holds {
			all = append(all, notice(p))
		}
	}
	n, clock := &p.Notices, p.Notices.Clock.Verdict
	settings, here := p.Actor.May(models.ManageSettings), p.signedIn()
	add(n.Outage != nil, outageNotice)
	add(n.Database != nil && here, databaseNotice)
	add(p.Insecure && settings, insecureNotice)
	add(n.Unkept && settings, unkeptNotice)
	add(n.Pause != nil && here, pauseNotice)
	add(n.Unanswered != nil && here, unansweredNotice)
	add(n.Access != nil && here, accessNotice)
	add(len(n.Endpoints) > 0 && p.Actor.May(models.ManageEndpoints), endpointsNotice)
	add(n.Sealing != nil && p.Actor.May(models.Oversee), sealingNotice)
	add(n.Signing != nil && p.Actor.May(models.Oversee), signingNotice)
	add((clock == clocks.ServerDiffers || clock == clocks.DatabaseDiffers) && here, clockNotice)
	add(len(p.Ended) > 0 && p.ofSales(), endedDoubts)
	add(n.Ahead != 0 && here, aheadNotice)
	return all
}

// LastSent is the instant before which the last request of the day is sent: the
// cut-off less the margin and what the service's clock is ahead.
func (p Page) LastSent() string { return ClockSeconds(p.Window.DayCloses(p.Now), p.Zone()) }

// ClockKey says which way the service's clock differs from ours.
func ClockKey(ahead time.Duration) string {
	if ahead > 0 {
		return "notice.ahead"
	}
	return "notice.behind"
}

// aheadOrBehind chooses between two texts: a server's clock is ahead of the database's,
// or behind it.
func aheadOrBehind(s clocks.Standing, ahead, behind string) string {
	if s.Ahead > 0 {
		return ahead
	}
	return behind
}

// Seconds writes the size of a difference between clocks.
func Seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d.Abs()+time.Second/2)/time.Second), 10)
}
