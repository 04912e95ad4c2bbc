package kit

import (
	"context"
	"slices"
	"sync"
	"time"

	"veinte/models"
)

// accessBeat is how often the answers under way are held against the rights of their
// people: a stream or a file ends within it, and the time of one question.
const accessBeat = time.Second

// Live are the answers under way that last: streams and files. Each ends with the session
// or the access of its person, and when their role or their stores change.
type Live struct {
	left func(ctx context.Context, tokens []string) (map[string]models.Actor, error)

	mu      sync.Mutex
	answers map[*Answer]bool
	checked time.Time
}

// Answer is one of them.
type Answer struct {
	who   Reader
	over  chan struct{}
	lives *Live
}

// NewLive makes it. left returns which of some sessions still are, with the rights of
// their people.
func NewLive(left func(ctx context.Context, tokens []string) (map[string]models.Actor, error)) *Live {
	return &Live{left: left, answers: map[*Answer]bool{}}
}

// Begin adds an answer.
func (l *Live) Begin(who Reader) *Answer {
	a := &Answer{who: who, over: make(chan struct{}), lives: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[a] = true
	return a
}

// Over is closed when the person may not have the rest.
func (a *Answer) Over() <-chan struct{} { return a.over }

// End takes the answer away: it has ended.
func (a *Answer) End() {
	a.lives.mu.Lock()
	defer a.lives.mu.Unlock()
	delete(a.lives.answers, a)
}

// Check ends the answers whose people may not have them any more, at most once in
// accessBeat. All are read in one query. When they cannot be read none ends: a database
// that is away is away for all.
func (l *Live) Check(ctx context.Context) error {
	tokens := l.due()
	if len(tokens) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	left, err := l.left(ctx, tokens)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for a := range l.answers {
		now, there := left[a.who.Token]
		if _, asked := slices.BinarySearch(tokens, a.who.Token); !asked || there && sameRights(now, a.who.Actor) {
			continue
		}
		delete(l.answers, a)
		close(a.over)
	}
	return nil
}

// due returns the sessions to ask for, each once; none before it is time.
func (l *Live) due() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.checked) < accessBeat {
		return nil
	}
	l.checked = time.Now()
	var tokens []string
	for a := range l.answers {
		tokens = append(tokens, a.who.Token)
	}
	slices.Sort(tokens)
	return slices.Compact(tokens)
}

// sameRights reports whether somebody has the role and the stores that they had.
func sameRights(now, then models.Actor) bool {
	return now.Role == then.Role && now.AllStores == then.AllStores && slices.Equal(now.StoreIDs, then.StoreIDs)
}
