package rules

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

// The limits of what administrators may set, on the page and in the environment. The
// service takes requests until ServiceCutoff, by the clock of ServiceZone.
const (
	ServiceCutoff   models.TimeOfDay = 20 * 60
	ServiceZone                      = "America/Mexico_City"
	earliestCutoff  models.TimeOfDay = 30
	latestCutoff    models.TimeOfDay = 23*60 + 59
	usualAnswerWait                  = 20 * time.Second
)

// CutoffAllowed reports whether a cut-off is within its limits.
func CutoffAllowed(at models.TimeOfDay) bool { return at >= earliestCutoff && at <= latestCutoff }

// Bounds are the least and the most that a time may be set to.
type Bounds struct{ Least, Most time.Duration }

// The bounds of the margin, of the wait for the service's answer, and of the waits
// for a terminal.
var (
	MarginBounds = Bounds{time.Second, 10 * time.Minute}
	AnswerBounds = Bounds{5 * time.Second, MaxAnswerWait}
	WaitBounds   = Bounds{30 * time.Second, 15 * time.Minute}
)

// cutoffNotice is how far ahead today's cut-off must be when it is moved earlier:
// longer than a running attempt may take to send its first byte. To stop at once
// there is the pause.
const cutoffNotice = 5 * time.Minute

// farthestPlan is how far ahead a change may be planned.
const farthestPlan = 366 * 24 * time.Hour

func (p *planning) refuse(field, code string) {
	p.refused = append(p.refused, models.Invalid(field, code))
}

// times parses the waits and the margin.
func (p *planning) times() {
	c := &p.plan.Change
	for _, f := range []struct {
		field, typed string
		shown        time.Duration
		bounds       Bounds
		into         **Seconds
		code         string
	}{
		{"margin", p.in.Margin, p.shown.Margin, MarginBounds, &c.Margin, "rules.marginBounds"},
		{"answer", p.in.Answer, p.shown.Answer, AnswerBounds, &c.Answer, "rules.answerBounds"},
		{"result", p.in.Result, p.shown.Result, WaitBounds, &c.Result, "rules.waitBounds"},
		{"quiet", p.in.Quiet, p.shown.Quiet, WaitBounds, &c.Quiet, "rules.waitBounds"},
	} {
		d, err := time.ParseDuration(strings.TrimSpace(f.typed) + "s")
		switch {
		case strings.TrimSpace(f.typed) == "":
			p.refuse(f.field, "field.required")
		case err == nil && d == f.shown:
		case err != nil || d%time.Second != 0:
			p.refuse(f.field, "rules.wholeSeconds")
		case d < f.bounds.Least || d > f.bounds.Most:
			p.refuse(f.field, f.code)
		default:
			seconds := Seconds(d / time.Second)
			*f.into = &seconds
		}
	}
}

// MaxAnswerWait is the longest wait for the service's acknowledgement that can be
// set.
const MaxAnswerWait = time.Minute

func (p *planning) note() {
	p.plan.Note = strings.TrimSpace(p.in.Note)
	switch {
	case !utf8.ValidString(p.plan.Note) || strings.ContainsFunc(p.plan.Note, models.Invisible):
		p.refuse("note", "field.invalidText")
	case utf8.RuneCountInString(p.plan.Note) > 300:
		p.refuse("note", "field.tooLong")
	case cards.Holds(p.plan.Note):
		p.refuse("note", "field.cardNumber")
	}
}

// from parses when the change takes effect: at once, or at the beginning of a day.
func (p *planning) from() {
	if p.in.From == "" {
		p.plan.AtOnce, p.plan.EffectiveAt = true, p.schedule.next(p.now)
		return
	}
	day, err := models.ParseDay(p.in.From)
	if err != nil {
		p.refuse("from", "date.invalid")
		return
	}
	p.plan.day, p.plan.EffectiveAt = day, day.Time(p.window.Calendar.Zone())
	switch {
	case !p.plan.EffectiveAt.After(p.now):
		p.refuse("from", "rules.fromPast")
	case p.plan.EffectiveAt.Sub(p.now) > farthestPlan:
		p.refuse("from", "rules.fromFar")
	}
}

// next is the instant of a change that takes effect at once: now, or the instant of
// the last version when another process, whose clock is a little ahead, wrote one.
func (s *Schedule) next(now time.Time) time.Time {
	next := now
	for i := range s.versions {
		v := &s.versions[i]
		if v.EffectiveAt.Equal(v.SetAt) && v.EffectiveAt.After(next) && v.EffectiveAt.Sub(now) < time.Minute {
			next = v.EffectiveAt
		}
	}
	return next
}

// cutoff parses the cut-off. A change that takes effect at once can only move it
// earlier, and not so early that a running attempt would come after it.
func (p *planning) cutoff() {
	at, err := models.ParseTimeOfDay(p.in.Cutoff)
	switch {
	case err != nil:
		p.refuse("cutoff", "rules.timeInvalid")
		return
	case at == p.shown.Cutoff:
		return
	case !CutoffAllowed(at):
		p.refuse("cutoff", "rules.cutoffBounds")
		return
	}
	p.plan.Change.Cutoff = &at
	if at > ServiceCutoff && !p.in.LaterCutoff {
		p.refuse("laterCutoff", "rules.confirmLater")
	}
	if !p.plan.AtOnce {
		return
	}
	calendar := p.window.Calendar
	today := calendar.Cutoff(p.now)
	y, m, d := today.Date()
	switch wanted := time.Date(y, m, d, int(at/60), int(at%60), 0, 0, calendar.Zone()); {
	case wanted.After(today):
		p.refuse("from", "rules.laterFromTomorrow")
	case p.window.DayOpen(p.now) && wanted.Before(p.now.Add(cutoffNotice)):
		p.refuse("cutoff", "rules.cutoffTooSoon")
	}
}

// receipts parses the settings of stores and reasons.
func (p *planning) receipts() {
	words := map[string]*bool{ReceiptGeneral: nil, ReceiptPrint: new(true), ReceiptOmit: new(false)}
	seen := map[ReceiptInput]bool{}
	for _, in := range p.in.Receipts {
		print, known := words[in.Print]
		key := ReceiptInput{StoreID: in.StoreID, Reason: in.Reason}
		field := "receipt." + in.Reason
		change, shown, has := ReceiptChange{Reason: &in.Reason, Print: print}, p.shown.ReasonReceipts[in.Reason], false
		if _, has = p.shown.ReasonReceipts[in.Reason]; in.StoreID != 0 {
			field, change = "receiptStore."+strconv.FormatInt(in.StoreID, 10), ReceiptChange{StoreID: &in.StoreID, Print: print}
			shown, has = p.shown.StoreReceipts[in.StoreID], false
			_, has = p.shown.StoreReceipts[in.StoreID]
		}
		switch {
		case !known:
			p.refuse(field, "rules.receiptInvalid")
		case seen[key]:
			p.refuse(field, "rules.receiptTwice")
		case print == nil && has, print != nil && (!has || shown != *print):
			p.plan.Change.Receipts = append(p.plan.Change.Receipts, change)
		}
		seen[key] = true
	}
}

func (c *Change) empty() bool {
	return c.Cutoff == nil && c.Margin == nil && c.Answer == nil && c.Result == nil && c.Quiet == nil &&
		c.PrintReceipt == nil && c.ManagersResolve == nil && len(c.Receipts) == 0
}

// warn collects what the administrator should consider before confirming.
func (p *planning) warn() {
	c := p.plan.Change
	if c.Cutoff != nil && *c.Cutoff > ServiceCutoff {
		p.plan.Warnings = append(p.plan.Warnings, "rules.warnLater")
	}
	if c.Cutoff != nil && p.plan.AtOnce && *c.Cutoff < p.plan.Before.Cutoff {
		p.plan.Warnings = append(p.plan.Warnings, "rules.warnToday")
	}
	if c.Answer != nil && p.plan.After.Answer < usualAnswerWait {
		p.plan.Warnings = append(p.plan.Warnings, "rules.warnAnswer")
	}
	for _, planned := range p.schedule.Planned(p.now) {
		if planned.EffectiveAt.After(p.plan.EffectiveAt) && planned.overlaps(c) {
			p.plan.Warnings = append(p.plan.Warnings, "rules.warnPlanned")
			return
		}
	}
}

// overlaps reports whether both change the same thing.
func (c *Change) overlaps(o Change) bool {
	if c.Cutoff != nil && o.Cutoff != nil || c.Margin != nil && o.Margin != nil || c.Answer != nil && o.Answer != nil ||
		c.Result != nil && o.Result != nil || c.Quiet != nil && o.Quiet != nil ||
		c.PrintReceipt != nil && o.PrintReceipt != nil || c.ManagersResolve != nil && o.ManagersResolve != nil {
		return true
	}
	for _, a := range c.Receipts {
		for _, b := range o.Receipts {
			if a.StoreID != nil && b.StoreID != nil && *a.StoreID == *b.StoreID || a.Reason != nil && b.Reason != nil && *a.Reason == *b.Reason {
				return true
			}
		}
	}
	return false
}
