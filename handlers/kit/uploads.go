package kit

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
)

// A file waits on the disk, and is then read in memory, a workbook as a whole. So each
// person uploads one at a time, few arrive at once, and fewer are read at once, over all
// people: sixteen workbooks took 1.5 GB.
const (
	maxUploads    = 8
	maxHeavyReads = 2
	longestRead   = 30 * time.Second // that a file waits for its turn
)

// ErrUploading is the refusal of an upload beside too many others.
var ErrUploading = &models.Error{Kind: models.KindTooMany, Code: "error.uploading"}

// uploads are those under way in this process.
type uploads struct {
	mu     sync.Mutex
	people map[int64]bool
	reads  chan struct{}
}

func newUploads() *uploads {
	return &uploads{people: map[int64]bool{}, reads: make(chan struct{}, maxHeavyReads)}
}

// begin counts an upload of a person; end is nil when there are too many.
func (u *uploads) begin(person int64) (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.people[person] || len(u.people) >= maxUploads {
		return nil
	}
	u.people[person] = true
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.people, person)
	}
}

// read runs f in its turn.
func (u *uploads) read(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, longestRead)
	defer cancel()
	select {
	case u.reads <- struct{}{}:
		defer func() { <-u.reads }()
		return f()
	case <-ctx.Done():
		return ErrUploading
	}
}

// TakeUpload reads a form with a file, whose fields come before it. accept is called
// once they are there, before the file is read; use with the file, which is gone
// afterwards.
//
// Errors: imports.ErrTooLarge; ErrBadInput; ErrUploading; those of accept and use.
func (k *Kit) TakeUpload(c *fiber.Ctx, accept func(fields map[string]string) error, use func(*Upload) error) error {
	end := k.uploads.begin(Actor(c).UserID)
	if end == nil {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(longestRead.Seconds())))
		return ErrUploading
	}
	defer end()
	u, err := readUpload(c, accept)
	if u != nil && u.File != nil {
		defer u.File.Close()
	}
	if err != nil {
		return err
	}
	return k.uploads.read(c.UserContext(), func() error { return use(u) })
}
