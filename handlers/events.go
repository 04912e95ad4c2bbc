package handlers

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/database"
	"veinte/models/operations"
	"veinte/models/sales"
	"veinte/models/wiring"
)

const (
	// beat is how often the day's changes are checked: one query for all open pages
	// of a process. A new sale is on a page within this time.
	beat = 250 * time.Millisecond
	// heartbeat keeps proxies from closing a quiet stream, and detects closed
	// connections.
	heartbeat = 5 * time.Second
	// streamLife is how long a stream lasts. The browser then opens the next one,
	// and its permissions are checked again.
	streamLife = 10 * time.Minute
	// writeTime is how long a stream waits for a client that does not read.
	writeTime = 10 * time.Second

	// A person has several browsers, and nobody takes all streams.
	streamsPerSession = 6
	streamsPerPerson  = 18
	maxStreams        = 5000
)

// Events notifies open pages that something changed. Each page then requests its
// content as its own user: a stream carries no content.
type Events struct {
	revisions func(context.Context) (sales.Revisions, error)
	notices   func(context.Context) operations.Notices
	log       *slog.Logger

	mu       sync.Mutex
	streams  map[*stream]bool
	sessions map[string]int
	people   map[int64]int
	stopped  chan struct{}
	once     sync.Once
	live     *kit.Live // streams and files under way, which end with the access of their people
}

// stream is one open page.
type stream struct {
	actor   models.Actor
	session string
	changed chan struct{} // holds one when there is something new
	answer  *kit.Answer
}

// NewEvents returns Events that watch the services. Run checks for changes.
func NewEvents(s *wiring.Services, log *slog.Logger) *Events {
	return &Events{
		revisions: s.Sales.Revisions, notices: s.Operations.Notices, log: log,
		live:    kit.NewLive(s.Entrance.Living),
		streams: map[*stream]bool{}, sessions: map[string]int{}, people: map[int64]int{}, stopped: make(chan struct{}),
	}
}

// Run checks for changes until Stop, and whether those whose answers are under way may
// still have them. While there are none it makes no query.
func (e *Events) Run(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	var last sales.Revisions
	notices, failing := "", false
	for {
		select {
		case <-e.stopped:
			return
		case <-ticker.C:
		}
		if err := e.live.Check(ctx); err != nil {
			e.log.WarnContext(ctx, "answers under way are not held against the rights of their people", "error", err)
		}
		if e.count() == 0 {
			continue
		}
		now, err := e.read(ctx)
		if err != nil && !failing {
			e.log.WarnContext(ctx, "open pages are not notified of changes", "error", err)
		}
		failing = err != nil
		noticed := kit.NoticesKey(e.notices(ctx))
		e.publish(last, now, noticed != notices)
		if notices = noticed; err == nil {
			last = now
		}
	}
}

func (e *Events) read(ctx context.Context) (sales.Revisions, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return e.revisions(ctx)
}

// publish notifies the pages whose stores changed, or all of them.
func (e *Events) publish(before, now sales.Revisions, all bool) {
	var changed []int64 // stores
	for store, revision := range now {
		if before[store] != revision {
			changed = append(changed, store)
		}
	}
	if len(changed) == 0 && !all {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for s := range e.streams {
		if all || slices.ContainsFunc(changed, s.actor.Sees) {
			s.notify()
		}
	}
}

func (s *stream) notify() {
	select {
	case s.changed <- struct{}{}:
	default: // it has not sent the last one yet
	}
}

func (e *Events) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.streams)
}

// Stop ends every stream, so that a server that stops does not wait for them.
func (e *Events) Stop() { e.once.Do(func() { close(e.stopped) }) }

// join adds a page; nil when there are too many, or the server stops.
func (e *Events) join(who kit.Reader) *stream {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.stopped:
		return nil
	default:
	}
	if len(e.streams) >= maxStreams || e.sessions[who.Token] >= streamsPerSession || e.people[who.Actor.UserID] >= streamsPerPerson {
		return nil
	}
	s := &stream{actor: who.Actor, session: who.Token, changed: make(chan struct{}, 1)}
	s.answer = e.live.Begin(who)
	s.notify() // what changed between the page and its stream
	e.streams[s] = true
	e.sessions[who.Token]++
	e.people[who.Actor.UserID]++
	return s
}

func (e *Events) leave(s *stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.streams, s)
	s.answer.End()
	if e.sessions[s.session]--; e.sessions[s.session] == 0 {
		delete(e.sessions, s.session)
	}
	if e.people[s.actor.UserID]--; e.people[s.actor.UserID] == 0 {
		delete(e.people, s.actor.UserID)
	}
}

// stream handles GET /events: a stream of "changed" for a signed-in user. A page
// without a stream polls, only less often.
func (h *Handlers) stream(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, "text/event-stream")
	if c.Method() == fiber.MethodHead {
		return nil
	}
	if err := database.Confirmed(c.UserContext()); err != nil {
		return err
	}
	s := h.config.Events.join(kit.ReaderOf(c))
	if s == nil {
		// 204 means "no stream": the page keeps polling.
		return c.SendStatus(fiber.StatusNoContent)
	}
	c.Set("X-Accel-Buffering", "no") // proxies of that family would hold events back
	conn := c.Context().Conn()       // c belongs to another request by the time of the stream
	clock := h.Clock
	over := func() bool {
		ends := s.actor.AccessEnds
		return !ends.IsZero() && !clock.Now().Before(ends)
	}
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer h.config.Events.leave(s)
		defer func() {
			if p := recover(); p != nil {
				h.Logger.Error("panic in a stream", "value", p)
			}
		}()
		h.config.Events.write(w, conn, s, over)
	})
	return nil
}

// streamed reports requests whose response is endless and must not be buffered.
func streamed(c *fiber.Ctx) bool {
	return c.Path() == "/events" || strings.HasPrefix(c.Path(), "/audit.") || strings.HasSuffix(c.Path(), ".csv")
}

// write sends changes until the client disconnects or loses access, the stream is
// too old or the server stops.
func (e *Events) write(w *bufio.Writer, conn net.Conn, s *stream, over func() bool) {
	beats := time.NewTicker(heartbeat)
	defer beats.Stop()
	end := time.NewTimer(streamLife)
	defer end.Stop()
	text := "retry: 2000\n\n"
	for !over() {
		// The server's own deadline is for responses that end.
		_ = conn.SetWriteDeadline(time.Now().Add(heartbeat + writeTime))
		if _, err := w.WriteString(text); err != nil || w.Flush() != nil {
			return
		}
		select {
		case <-s.changed:
			text = "event: changed\ndata: {}\n\n"
		case <-beats.C:
			text = ": \n\n"
		case <-end.C:
			return
		case <-s.answer.Over():
			return
		case <-e.stopped:
			return
		}
	}
}
