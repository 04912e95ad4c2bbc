package audit

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Counted is a refusal on its way into the trail. The first of its kind within a minute
// is an entry at once; how many more there were is another when the minute is over, see
// FlushRefusals. Whoever is refused again and again must not fill the trail.
//
// The counts are in the memory of the process: a request that is only counted costs the
// database nothing. A process that is killed loses the counts of its last minute, never
// the first.
type Counted struct {
	counter *counter
	kind    refusalKind
	first   *models.AuditEntry // nil: it is counted
}

// refusalKind is what is counted together.
type refusalKind struct {
	minute time.Time
	sender string // a person, a program, or the network of a stranger
	action models.Action
	detail string // why, and of what
}

// Of one sender, and of all together, no more kinds are told apart within a minute. What
// is beyond is counted together, so distinct addresses, names and numbers fill nothing.
// A bulk request may be refused for each of its sales.
const (
	maxKindsOfSender = 60
	maxKinds         = 1000
)

// tally is how many there were after the first.
type tally struct {
	more  int
	entry models.AuditEntry // the first, or one like it without what differs
}

type counter struct {
	mu      sync.Mutex
	kinds   map[refusalKind]*tally
	senders map[string]int // kinds of each
}

func newCounter() *counter {
	return &counter{kinds: map[refusalKind]*tally{}, senders: map[string]int{}}
}

// Counted counts a refusal. detail tells those of the same sender and action apart, by why
// it was and of what.
func (s *Service) Counted(
	actor models.Actor, action models.Action, outcome models.Outcome, a About, detail string,
) (*Counted, error) {
	actor, now := actor.Named(), s.clock.Now()
	e, err := NewEntry(actor, now, action, outcome, a)
	if err != nil {
		return nil, err
	}
	sender := actor.Subject()
	if sender == "" {
		sender = actor.Network()
	}
	k := refusalKind{now.Truncate(time.Minute), sender, action, detail}
	return s.counter.add(k, e), nil
}

func (c *counter) add(k refusalKind, e models.AuditEntry) *Counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds[k] == nil {
		// The more there is to tell apart, the less is told apart.
		if c.senders[k.sender] >= maxKindsOfSender {
			k.detail = ""
		}
		if len(c.kinds) >= maxKinds {
			k.sender, k.detail = "", ""
		}
	}
	t := c.kinds[k]
	if t != nil {
		t.more++
		return &Counted{counter: c, kind: k}
	}
	c.kinds[k] = &tally{entry: e}
	c.senders[k.sender]++
	return &Counted{counter: c, kind: k, first: &e}
}

// First reports whether it is the first of its kind, which has an entry of its own.
func (r *Counted) First() bool { return r.first != nil }

// Record writes the entry of the first of its kind, in the transaction that refuses.
func (r *Counted) Record(t database.Tx) error {
	if r.first == nil {
		return nil
	}
	return RecordAll(t, []models.AuditEntry{*r.first})
}

// Unless forgets a refusal whose entry could not be written: the next one is the first.
func (r *Counted) Unless(err error) error {
	if err != nil && r.first != nil {
		r.counter.mu.Lock()
		defer r.counter.mu.Unlock()
		r.counter.drop(r.kind)
	}
	return err
}

func (c *counter) drop(k refusalKind) {
	delete(c.kinds, k)
	if c.senders[k.sender]--; c.senders[k.sender] <= 0 {
		delete(c.senders, k.sender)
	}
}

// RecordCounted counts a refusal that changes nothing else.
func (s *Service) RecordCounted(
	ctx context.Context, actor models.Actor, action models.Action, outcome models.Outcome, a About, detail string,
) error {
	r, err := s.Counted(actor, action, outcome, a, detail)
	if err != nil || r.first == nil {
		return err
	}
	if err := r.Unless(s.db.InTx(ctx, r.Record)); err != nil {
		return fmt.Errorf("record refusal: %w", err)
	}
	return nil
}

// FlushRefusals records how many more refusals there were in the minutes that are over;
// at the end of a process, in all.
func (s *Service) FlushRefusals(ctx context.Context, all bool) error {
	now := s.clock.Now()
	over := s.counter.take(func(minute time.Time) bool { return all || !now.Before(minute.Add(time.Minute)) })
	var entries []models.AuditEntry
	for k, t := range over {
		if t.more == 0 {
			continue
		}
		e, err := t.told(k, now)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil
	}
	if err := s.db.InTx(ctx, func(t database.Tx) error { return RecordAll(t, entries) }); err != nil {
		s.counter.putBack(over)
		return fmt.Errorf("record counted refusals: %w", err)
	}
	return nil
}

// told is the entry of those after the first. What differs between them is left out.
func (t *tally) told(k refusalKind, now time.Time) (models.AuditEntry, error) {
	first := t.entry
	actor := models.Actor{Name: first.ActorName, Role: first.ActorRole, Address: first.Address, OnBehalfOf: first.OnBehalfOf}
	if first.ActorID != nil {
		actor.UserID = *first.ActorID
	}
	if k.sender == "" { // of many senders
		actor = models.Actor{Name: "?", Role: models.Anonymous}
	}
	reason := first.Reason
	if k.detail == "" { // of many kinds
		reason = ""
	}
	return NewEntry(actor, now, first.Action, first.Outcome, About{Reason: reason, After: map[string]any{
		"more": t.more, "minute": k.minute.UTC().Format(time.RFC3339),
	}})
}

func (c *counter) take(over func(time.Time) bool) map[refusalKind]*tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := map[refusalKind]*tally{}
	for k, t := range c.kinds {
		if over(k.minute) {
			taken[k] = t
			c.drop(k)
		}
	}
	return taken
}

// putBack keeps what could not be recorded until the next time.
func (c *counter) putBack(taken map[refusalKind]*tally) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, t := range taken {
		if c.kinds[k] == nil {
			c.kinds[k] = t
			c.senders[k.sender]++
			continue
		}
		c.kinds[k].more += t.more
	}
}

// numbers tell requests of one kind apart.
var numbers = regexp.MustCompile(`[0-9]+`)

// shape is a request without its numbers: who counts through the numbers of sales is
// refused the same each time.
func shape(line string) string { return numbers.ReplaceAllString(line, "0") }
