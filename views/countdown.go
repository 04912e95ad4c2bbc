package views

import "time"

// cutoff is the instant from which today's sales can no longer be canceled.
func (p Page) cutoff() time.Time { return p.Window.Calendar.Cutoff(p.Now) }

// closed reports whether the window of today's sales has closed.
func (p Page) closed() bool { return !p.Now.Before(p.Window.DayCloses(p.Now)) }

// cutoffStep is the class of how urgent it is; countdown.js has the same steps.
func cutoffStep(p Page) string {
	switch left := p.Window.DayCloses(p.Now).Sub(p.Now); {
	case left <= 0:
		return "step-0"
	case left <= 5*time.Minute:
		return "step-5"
	case left <= 15*time.Minute:
		return "step-15"
	case left <= time.Hour:
		return "step-60"
	}
	return "step-far"
}
