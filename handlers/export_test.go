package handlers

import (
	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/sales"
)

// Line is a line of the route table as tests see it.
type Line struct {
	Method, Path string
	Can          models.Permission
}

// Lines returns the route table, so that no route can be forgotten by a test.
func Lines() []Line {
	var lines []Line
	for _, r := range (&Handlers{}).routes() {
		lines = append(lines, Line{r.method, r.path, r.can})
	}
	return lines
}

// LocalPath is where a sign-in may go on to.
var LocalPath = kit.LocalPath

// Stream is one open page.
type Stream = stream

// Join opens a page's stream without a connection.
func (e *Events) Join(a models.Actor) *Stream { return e.join(kit.Reader{Actor: a, Token: a.Name}) }

// Publish compares two pulses.
func (e *Events) Publish(before, now sales.Revisions, all bool) { e.publish(before, now, all) }

// Notified reports whether there is something to send, and forgets it.
func (s *stream) Notified() bool {
	select {
	case <-s.changed:
		return true
	default:
		return false
	}
}
