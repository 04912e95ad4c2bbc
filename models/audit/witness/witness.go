package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
)

// Config is what a witness needs.
type Config struct {
	Signer *cosign.Signer // whose clock is the witness'
	// Trails are the public keys of the trails that it watches. Several may bear one name,
	// while a key is replaced.
	Trails []string
	// Dir is where it keeps what it cosigned, and evidence. Whoever can put an older copy in
	// its place can make it cosign a fork.
	Dir string
	Log *slog.Logger // nil: the default
}

// Witness cosigns checkpoints that continue what it cosigned before. Its methods may be
// called by several goroutines.
type Witness struct {
	signer *cosign.Signer
	keys   note.Verifiers
	names  []string
	store  *store
	log    *slog.Logger

	mu     sync.Mutex // for everything below, from the check to what is on the disk
	trails map[string]*seen
}

// seen is the last checkpoint of a trail that was cosigned.
type seen struct {
	kept // its Note is "" when there is none
	size int64
	root tlog.Hash
	// unsure is set after an error of writing: what the disk has is read before the next
	// answer.
	unsure bool
}

// Open opens a witness, or returns what keeps it from being one: a key, the directory, or a
// file in it that is damaged.
func Open(c Config) (*Witness, error) {
	keys, err := trailfile.ParsePublic(c.Trails...)
	if err != nil {
		return nil, fmt.Errorf("keys of trails: %w", err)
	}
	w := &Witness{signer: c.Signer, keys: keys, log: c.Log, trails: map[string]*seen{}}
	if w.log == nil {
		w.log = slog.Default()
	}
	for _, k := range c.Trails {
		name, _, _ := strings.Cut(strings.TrimSpace(k), "+")
		w.names = append(w.names, name)
	}
	slices.Sort(w.names)
	w.names = slices.Compact(w.names)
	if w.store, err = openStore(c.Dir); err != nil {
		return nil, err
	}
	origins, err := w.store.origins()
	for _, origin := range append(origins, w.names...) {
		if err == nil {
			_, err = w.trail(origin)
		}
	}
	if err != nil {
		return nil, errors.Join(err, w.store.close())
	}
	return w, nil
}

// Close ends it; another process may then use the directory.
func (w *Witness) Close() error { return w.store.close() }

// Public is the witness' public key.
func (w *Witness) Public() string { return w.signer.Public() }

// The reasons for which a checkpoint is not cosigned.
var (
	errRequest   = errors.New("the request is not of the form of add-checkpoint")
	errUnknown   = errors.New("no trail of that origin is watched here")
	errSignature = errors.New("no key that is trusted for this origin has signed the checkpoint")
	errProof     = errors.New("the consistency proof does not verify")
)

// conflictError says which size was cosigned last. Fork is set when the checkpoint has
// another root of that size.
type conflictError struct {
	size int64
	fork bool
}

func (e *conflictError) Error() string {
	return fmt.Sprintf("the last checkpoint that was cosigned has %d entries", e.size)
}

// add cosigns the checkpoint of a request, and returns the line. What it returns is on the
// disk before.
func (w *Witness) add(body string) (line string, err error) {
	r, err := readRequest(body)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(w.names, func(name string) bool { return notes.Signs(name, r.origin) }) {
		return "", errUnknown
	}
	if err := trailfile.VerifySignatures(r.origin, r.text, r.signatures, w.keys); err != nil {
		return "", errSignature
	}
	if r.old > r.size {
		return "", errRequest
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, err := w.trail(r.origin)
	if err != nil {
		return "", err
	}
	if err := last.continuedBy(r); err != nil {
		w.refused(r, last, err)
		return "", err
	}
	if line, err = w.signer.Line(r.text); err != nil {
		return "", err
	}
	return line, w.keep(r, last, line)
}

// continuedBy checks that the trail of a request begins with what was cosigned last.
func (s *seen) continuedBy(r *request) error {
	switch {
	case r.old != s.size:
		return &conflictError{size: s.size}
	case r.size == s.size && r.root != s.root:
		return &conflictError{size: s.size, fork: true}
	case r.old == 0 || r.size == s.size:
		if len(r.proof) > 0 {
			return errProof
		}
		return nil
	}
	if tlog.CheckTree(r.proof, r.size, r.root, s.size, s.root) != nil {
		return errProof
	}
	return nil
}

// keep writes what was cosigned. The same tree again is not written: anybody can send it as
// often as he likes, and the disk has its size and root.
func (w *Witness) keep(r *request, last *seen, line string) error {
	now := w.signer.Now().UTC()
	if last.Note != "" && last.size == r.size {
		last.SeenAt = now
		return nil
	}
	signed, err := notes.AddLines(r.note, line)
	if err != nil {
		return err
	}
	next := &seen{kept: kept{SeenAt: now, Note: signed}, size: r.size, root: r.root}
	if err := w.store.write(file(r.origin), next.kept); err != nil {
		last.unsure = true
		return fmt.Errorf("keep what is cosigned: %w", err)
	}
	w.trails[r.origin] = next
	return nil
}

// trail returns what was cosigned last of a trail, by this process or before it.
func (w *Witness) trail(origin string) (*seen, error) {
	if s := w.trails[origin]; s != nil && !s.unsure {
		return s, nil
	}
	s := &seen{root: sha256.Sum256(nil)} // of no entry
	k, err := w.store.read(file(origin))
	if err != nil {
		return nil, err
	}
	if k != nil {
		c, err := readCheckpoint(k.Note)
		if err != nil || c.origin != origin {
			return nil, fmt.Errorf("%s: what it has is no checkpoint of %s", file(origin), origin)
		}
		s.kept, s.size, s.root = *k, c.size, c.root
	}
	w.trails[origin] = s
	return s, nil
}

// refused logs what may be misbehavior of a trail, and keeps what proves it: two checkpoints
// of one size, both signed by the trail's key.
func (w *Witness) refused(r *request, last *seen, err error) {
	var conflict *conflictError
	fork := errors.As(err, &conflict) && conflict.fork
	if !fork && !errors.Is(err, errProof) {
		return
	}
	w.log.Warn("a checkpoint does not continue what was cosigned", "origin", r.origin, "cosigned", last.size, "size", r.size,
		"root", r.root.String(), "error", err)
	if fork {
		if err := w.store.evidence(file(r.origin), last.Note, r.note, r.root); err != nil {
			w.log.Error("the evidence of a fork could not be kept", "error", err)
		}
	}
}

// file is the name of the file of a trail: an origin may have any letters.
func file(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// Seen is what a witness saw last of a trail.
type Seen struct {
	Origin string
	Size   int64
	Root   tlog.Hash
	At     time.Time // when it was cosigned, UTC; zero when nothing was
	Forks  int       // refused checkpoints that contradict one that it cosigned
}

// Seen returns what it saw last of each trail, by their names.
func (w *Witness) Seen() (list []Seen, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for origin := range w.trails {
		s, err := w.trail(origin)
		if err != nil {
			return nil, err
		}
		forks, err := w.store.forks(file(origin))
		if err != nil {
			return nil, err
		}
		list = append(list, Seen{origin, s.size, s.root, s.SeenAt, forks})
	}
	slices.SortFunc(list, func(a, b Seen) int { return strings.Compare(a.Origin, b.Origin) })
	return list, nil
}
