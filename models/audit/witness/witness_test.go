package witness_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/witness"
	"veinte/models/audit/witness/witnesstest"
)

const origin = "tienda.example/bitacora"

func signer(t testing.TB) *cosign.Signer {
	t.Helper()
	private, _, err := cosign.Generate("testigo.example/1")
	must(t, err)
	s, err := cosign.NewSigner(private)
	must(t, err)
	return s
}

// open serves a witness on a directory.
func open(t testing.TB, s *cosign.Signer, dir string, trails ...string) (*witness.Witness, witness.Client) {
	t.Helper()
	w, err := witness.Open(witness.Config{Signer: s, Trails: trails, Dir: dir, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	server := httptest.NewServer(w.Handler())
	t.Cleanup(server.Close)
	return w, witness.Client{URL: server.URL}
}

func page(t testing.TB, c witness.Client, path string) string {
	t.Helper()
	resp, err := http.Get(c.URL + path)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.Status + "\n" + string(text)
}

func TestWitness(t *testing.T) {
	t.Parallel()
	witnesstest.Run(t, func(t *testing.T, _, public string) (witness.Client, string) {
		w, c := open(t, signer(t), t.TempDir(), public)
		return c, w.Public()
	})
}

// TestWitnessRemembers opens the same directory again.
func TestWitnessRemembers(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, origin).Grow(20, "entry")
	s, dir := signer(t), filepath.Join(t.TempDir(), "state")
	w, c := open(t, s, dir, l.Public)
	witnesstest.Cosigned(t, c, w.Public(), l, 0, 5)
	if _, err := witness.Open(witness.Config{Signer: s, Trails: []string{l.Public}, Dir: dir}); !errors.Is(err, witness.ErrLocked) {
		t.Errorf("a second witness of the same directory: %v", err)
	}
	must(t, w.Close())

	w, c = open(t, s, dir, l.Public)
	forked := l.Fork(20)
	witnesstest.Refused(t, c, 5, nil, forked.Note(5), 409)
	witnesstest.Refused(t, c, 5, nil, forked.Note(5), 409)
	witnesstest.Refused(t, c, 0, nil, forked.Note(9), 409)
	witnesstest.Cosigned(t, c, w.Public(), l, 5, 20)
	if got := page(t, c, "/"); !strings.Contains(got, w.Public()) || !strings.Contains(got, origin+"\n    20 ") ||
		!strings.Contains(got, "WARNING: 1 ") {
		t.Errorf("the page:\n%s", got)
	}
	forks, err := filepath.Glob(filepath.Join(dir, "*.fork-*.txt"))
	must(t, err)
	if len(forks) != 1 {
		t.Fatalf("%d files of evidence, want 1", len(forks))
	}
	text, err := os.ReadFile(forks[0])
	must(t, err)
	if !strings.Contains(string(text), forked.Note(5)) || !strings.Contains(string(text), strings.TrimSpace(l.Note(5))) {
		t.Errorf("the evidence lacks a checkpoint:\n%s", text)
	}
	must(t, w.Close())

	kept, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	must(t, os.WriteFile(kept[0], []byte("{"), 0o600))
	if _, err := witness.Open(witness.Config{Signer: s, Trails: []string{l.Public}, Dir: dir}); err == nil {
		t.Error("a witness whose memory is damaged began anew")
	}
}

// TestNeverTwoAnswersThatContradict asks for two trails of one key at once, again and again.
func TestNeverTwoAnswersThatContradict(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, origin).Grow(30, "entry")
	forked := l.Fork(30)
	w, c := open(t, signer(t), t.TempDir(), l.Public)
	var mu sync.Mutex
	roots := map[int64]string{}
	var group sync.WaitGroup
	for _, side := range []*witnesstest.Trail{l, forked, l, forked} {
		notesOf := map[int64]string{}
		for size := int64(1); size <= 30; size++ {
			notesOf[size] = side.Note(size)
		}
		group.Go(func() {
			for size := int64(1); size <= 30; size++ {
				lines, err := c.Add(t.Context(), size-1, side.Proof(size-1, size), notesOf[size])
				var r *witness.Refusal
				if err != nil && !errors.As(err, &r) {
					t.Error(err)
				}
				if len(lines) == 0 {
					continue
				}
				root := strings.Split(notesOf[size], "\n")[2]
				mu.Lock()
				if roots[size] != "" && roots[size] != root {
					t.Errorf("two trails of %d entries were cosigned", size)
				}
				roots[size] = root
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(roots) == 0 {
		t.Error("nothing was cosigned")
	}
	must(t, w.Close())
}

// TestNothingUnwrittenIsCosigned breaks the directory: there is no answer with a line, and
// afterwards the trail goes on from what was there.
func TestNothingUnwrittenIsCosigned(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"write", "rename", "sync"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			l := witnesstest.NewTrail(t, origin).Grow(20, "entry")
			w, c := open(t, signer(t), t.TempDir(), l.Public)
			witnesstest.Cosigned(t, c, w.Public(), l, 0, 5)
			w.BreakAt(step)
			witnesstest.Refused(t, c, 5, l.Proof(5, 9), l.Note(9), 500)
			w.BreakAt("")
			// Before the rename the old checkpoint is what counts, behind it the new one.
			size := int64(5)
			if step == "sync" {
				size = 9
			}
			if r := witnesstest.Refused(t, c, 0, nil, l.Note(9), 409); r.Size != size {
				t.Errorf("after an error it knows %d entries, want %d", r.Size, size)
			}
			witnesstest.Cosigned(t, c, w.Public(), l, size, 20)
		})
	}
}

// TestBeginnings are trails of their own, signed by the same key.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, origin).Grow(9, "entry")
	s, dir := signer(t), t.TempDir()
	w, c := open(t, s, dir, l.Public)
	witnesstest.Cosigned(t, c, w.Public(), l, 0, 9)
	again := l.Beginning(notes.Origin(origin, 2), 4)
	witnesstest.Cosigned(t, c, w.Public(), again, 0, 4)
	must(t, w.Close())
	_, c = open(t, s, dir, l.Public)
	if got := page(t, c, "/"); !strings.Contains(got, origin+"\n    9 ") || !strings.Contains(got, origin+"#2\n    4 ") {
		t.Errorf("the page:\n%s", got)
	}
}

// TestStricterThanOthers is what the specification says and another witness lets pass.
func TestStricterThanOthers(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, origin).Grow(9, "entry")
	_, c := open(t, signer(t), t.TempDir(), l.Public)
	for body, want := range map[string]int{
		"old 00\n\n" + l.Note(9): 400,
		"old 0\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n" + l.Note(9): 422,
		"old 0\n\n" + l.Note(9) + strings.Repeat("x", 1<<20):                  400,
	} {
		resp, err := http.Post(c.URL+"/add-checkpoint", "", strings.NewReader(body))
		must(t, err)
		must(t, resp.Body.Close())
		if resp.StatusCode != want {
			t.Errorf("%.60q is answered %d, want %d", body, resp.StatusCode, want)
		}
	}
	if got := page(t, c, "/healthz"); got != "200 OK\nok\n" {
		t.Errorf("healthz = %q", got)
	}
	if got := page(t, c, "/add-checkpoint"); !strings.HasPrefix(got, "405") {
		t.Errorf("GET /add-checkpoint = %q", got)
	}
}
