package kit

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/database"
)

// What takes long is bounded, for one person and over all people: an export, a file that
// comes, a report that is read. A file waits on the disk and is then read in memory, a
// workbook as a whole, so fewer are read at a time: sixteen workbooks took 1.5 GB.
const (
	heavyOfPerson = 2
	// maxHeavy leaves connections to the database for what takes long and is nobody's
	// request, an import and a verification, and for what an export asks beside itself.
	maxHeavy   = 5
	maxUploads = 8 // that arrive, also over a slow line
	maxReads   = 2
	// longestTurn is how long a request waits for its turn, before words say so.
	longestTurn = 10 * time.Second
)

// The refusals of who has waited for a turn. Those of an upload are its file's: the form
// stands there again with what was typed.
var (
	errHeavy     = &models.Error{Kind: models.KindTooMany, Code: "error.heavy"}
	ErrUploading = &models.Error{Kind: models.KindTooMany, Field: "file", Code: "error.uploading"}
)

// turns are what takes long and is under way in this process.
type turns struct {
	mu                    sync.Mutex
	people                map[int64]int
	heavy, uploads, reads int
	freed                 chan struct{} // closed when one has ended
}

func newTurns() *turns { return &turns{people: map[int64]int{}, freed: make(chan struct{})} }

// turn is what one of them takes.
type turn struct{ person, heavy, uploads, reads int }

var (
	aHeavy   = turn{person: 1, heavy: 1}
	anUpload = turn{person: 1, uploads: 1}
	aRead    = turn{heavy: 1, reads: 1} // of an upload, which counts for its person
)

// take waits for a turn; end is nil when none came.
func (t *turns) take(ctx context.Context, person int64, a turn) (end func()) {
	ctx, cancel := context.WithTimeout(ctx, longestTurn)
	defer cancel()
	for {
		end, freed := t.try(person, a)
		if end != nil {
			return end
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil
		}
	}
}

func (t *turns) try(person int64, a turn) (end func(), freed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.person > 0 && t.people[person] >= heavyOfPerson || a.heavy > 0 && t.heavy >= maxHeavy ||
		a.uploads > 0 && t.uploads >= maxUploads || a.reads > 0 && t.reads >= maxReads {
		return nil, t.freed
	}
	t.add(person, a, 1)
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.add(person, a, -1)
		close(t.freed)
		t.freed = make(chan struct{})
	}), nil
}

func (t *turns) add(person int64, a turn, n int) {
	t.heavy, t.uploads, t.reads = t.heavy+n*a.heavy, t.uploads+n*a.uploads, t.reads+n*a.reads
	if t.people[person] += n * a.person; t.people[person] == 0 {
		delete(t.people, person)
	}
}

// heavyKey has the end of a request's turn, which a file takes with it.
const heavyKey = "heavy"

// Heavy lets the download of a file wait for its turn. Its questions take connections
// of their own. Who has waited too long is told in words, and a browser asks again by
// itself.
func (k *Kit) Heavy(handler fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if c.Method() == fiber.MethodHead {
			return handler(c)
		}
		end := k.turns.take(c.UserContext(), Actor(c).UserID, aHeavy)
		if end == nil {
			c.Set("Refresh", strconv.Itoa(int(longestTurn.Seconds())))
			return k.later(c, errHeavy)
		}
		c.Locals(heavyKey, end)
		defer func() { takeTurn(c)() }()
		// What it reads is not the page's, which takes other connections: so it waits for the
		// rights of the person here.
		if err := database.Confirmed(c.UserContext()); err != nil {
			return err
		}
		c.SetUserContext(database.ForHeavy(database.Alone(c.UserContext())))
		return handler(c)
	}
}

// takeTurn returns the end of a request's turn, for whoever goes on when the request has
// ended.
func takeTurn(c *fiber.Ctx) (end func()) {
	end, ok := c.Locals(heavyKey).(func())
	if !ok {
		return func() {}
	}
	c.Locals(heavyKey, nil)
	return end
}

// later refuses who has waited for a turn.
func (k *Kit) later(c *fiber.Ctx, why *models.Error) error {
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(longestTurn.Seconds())))
	return why
}

// TakeUpload reads a form with a file, whose fields come before it. accept is called
// once they are there, before the file is read; use with the file, which is gone
// afterwards.
//
// Errors: imports.ErrTooLarge; ErrBadInput; ErrUploading; those of accept and use.
func (k *Kit) TakeUpload(c *fiber.Ctx, accept func(fields map[string]string) error, use func(*Upload) error) error {
	person, end := Actor(c).UserID, func() {}
	defer func() { end() }()
	u, err := readUpload(c, accept, func() error {
		if arriving := k.turns.take(c.UserContext(), person, anUpload); arriving != nil {
			end = arriving
			return nil
		}
		return k.later(c, ErrUploading)
	})
	if u != nil && u.File != nil {
		defer u.File.Close()
	}
	if err != nil {
		return err
	}
	read := k.turns.take(c.UserContext(), person, aRead)
	if read == nil {
		return k.later(c, ErrUploading)
	}
	defer read()
	begun := c.UserContext()
	defer c.SetUserContext(begun) // a form that is shown again is a page
	c.SetUserContext(database.ForHeavy(begun))
	return use(u)
}
