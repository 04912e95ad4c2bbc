package kit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestUploadsOfAPerson: one at a time of each, and few of all.
func TestUploadsOfAPerson(t *testing.T) {
	t.Parallel()
	u := newUploads()
	end := u.begin(1)
	if end == nil || u.begin(1) != nil {
		t.Error("a person uploads two files at once")
	}
	for n := int64(2); n <= maxUploads; n++ {
		if u.begin(n) == nil {
			t.Errorf("person %d has to wait", n)
		}
	}
	if u.begin(99) != nil {
		t.Errorf("more than %d files arrive at once", maxUploads)
	}
	end()
	if u.begin(99) == nil {
		t.Error("one has ended, and nobody may begin")
	}
}

// TestFewFilesAreReadAtOnce: over all people.
func TestFewFilesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	u := newUploads()
	var now, most atomic.Int64
	var all sync.WaitGroup
	var once sync.Once
	full := make(chan struct{})
	for range 16 {
		all.Go(func() {
			err := u.read(context.Background(), func() error {
				n := now.Add(1)
				defer now.Add(-1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if n == maxHeavyReads {
					once.Do(func() { close(full) })
				}
				<-full
				return nil
			})
			if err != nil {
				t.Errorf("read() = %v", err)
			}
		})
	}
	all.Wait()
	if most.Load() != maxHeavyReads {
		t.Errorf("%d files were read at once, want %d", most.Load(), maxHeavyReads)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range maxHeavyReads {
		u.reads <- struct{}{}
	}
	if err := u.read(ctx, func() error { return nil }); !errors.Is(err, ErrUploading) {
		t.Errorf("read() of one whose wait has ended = %v, want %v", err, ErrUploading)
	}
}
