package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/lineage"
	"veinte/models/wiring"
	"veinte/web/commands"
)

// verify verifies a database that was restored, and says what a server there will do.
func (r *Restore) verify(ctx context.Context, address string, of *place, m *manifest) error {
	keys, _, err := commands.PublicKeys(r.Key, r.KeyFile)
	if err != nil {
		return err
	}
	here, err := r.facts(ctx, of)
	if err != nil {
		return err
	}
	state := verify.Intact
	if m != nil {
		state = here.compare(m)
	}
	db, err := database.Open(ctx, database.DBConfig{URL: address, Application: "veinte restore", MaxConns: 6})
	if err != nil {
		return err
	}
	defer db.Close()
	trail, later, err := r.trail(ctx, db, keys, m)
	if err != nil {
		return err
	}
	commands.PrintTrail(trail)
	state = worse(state, trail.State)
	if keys == nil {
		fmt.Println(say("restore.noKey"))
		state = worse(state, verify.Undecided)
	}
	if err := r.printHeld(ctx, db, here, m, later); err != nil {
		return err
	}
	switch state {
	case verify.Altered:
		return commands.Altered(errors.New(say("restore.differs")))
	case verify.Undecided:
		return errors.New(say("trailEnd.undecided"))
	}
	fmt.Println(say("restore.right"))
	return nil
}

// worse is the worse of two verdicts.
func worse(a, b verify.State) verify.State {
	if a == verify.Altered || b == verify.Intact {
		return a
	}
	return b
}

// restored is what a restored database says of itself.
type restored struct {
	facts
	counts counts
	now    time.Time
}

func (r *Restore) facts(ctx context.Context, of *place) (here restored, err error) {
	conn, err := of.connect(ctx)
	if err != nil {
		return here, fmt.Errorf("reach database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	ours, err := isOurs(ctx, conn)
	if err == nil && !ours {
		err = errors.New(say("backup.notOurs"))
	}
	if err != nil {
		return here, err
	}
	if here.facts, err = factsOf(ctx, conn); err != nil {
		return here, err
	}
	if database.Identity(here.Identity).Standby() {
		return here, errors.New(say("restore.standby"))
	}
	if !here.Owns {
		return here, errors.New(say("backup.notOwner", "Owner", here.Owner))
	}
	here.now = time.Now()
	here.counts, err = counted(ctx, conn)
	return here, err
}

// compare compares the counts with those of the backup.
func (h *restored) compare(m *manifest) verify.State {
	all := m.Counts.differs(&h.counts)
	if h.Schema != m.Schema {
		all = append(all, difference{"schema", m.Schema, h.Schema})
	}
	if len(all) == 0 {
		fmt.Println(say("restore.counts"))
		h.counts.print()
		return verify.Intact
	}
	for _, d := range all {
		fmt.Println(say("restore.countDiffers", "What", d.What, "Said", d.Said, "Here", d.Here))
	}
	return verify.Altered
}

// trail verifies the trail against the backup's checkpoint and those that were kept
// elsewhere. One that knows more than the database contradicts nothing here: a backup is
// older than what went on. The last of these is later; nil when there is none.
func (r *Restore) trail(ctx context.Context, db *database.DB, keys note.Verifiers, m *manifest) (
	v *verify.Verdict, later *trailfile.Checkpoint, err error,
) {
	check := verify.TrailCheck{Keys: keys}
	if m != nil && m.Sealed.At != nil {
		if check.Checkpoints, err = commands.ReadCheckpoints([]string{filepath.Join(r.Dir, checkpointFile)}); err != nil {
			return nil, nil, err
		}
	}
	files := r.Checkpoint
	if r.CheckpointDir != "" {
		found, err := filepath.Glob(filepath.Join(r.CheckpointDir, "checkpoints-*.txt"))
		if err != nil {
			return nil, nil, err
		}
		files = append(files, found...)
	}
	services := wiring.Over(db)
	last, err := services.Sealing.LatestCheckpoint(ctx)
	if err != nil {
		return nil, nil, err
	}
	var size int64
	if last != nil {
		size = last.Size
	}
	notes, err := commands.ReadCheckpoints(files)
	if err != nil {
		return nil, nil, err
	}
	for _, text := range notes {
		c, err := opened(text, keys)
		switch {
		case err != nil || c.Size <= size: // what cannot be read is said by the verification
			check.Checkpoints = append(check.Checkpoints, text)
		case later == nil || c.Size > later.Size || c.Size == later.Size && c.Time.After(later.Time):
			later = &c
		}
	}
	v, err = services.Verify.VerifyTrail(ctx, check)
	return v, later, err
}

func opened(text string, keys note.Verifiers) (trailfile.Checkpoint, error) {
	if keys == nil {
		return trailfile.Unverified(text)
	}
	return trailfile.Open(text, keys)
}

// maxPrinted limits how many cancellations are named.
const maxPrinted = 50

// printHeld says what has not ended, and what a server there will not send, and why.
func (r *Restore) printHeld(ctx context.Context, db *database.DB, here restored, m *manifest, later *trailfile.Checkpoint) error {
	keeps := r.FailoverKeepsCommits == "on"
	open, err := lineage.New(lineage.Config{DB: db, KeepsCommits: keeps}).OpenOnes(ctx)
	if err != nil {
		return err
	}
	byKind := map[string]int{}
	for i := range open {
		byKind[kind(&open[i])]++
	}
	fmt.Println(say("restore.open", "N", len(open)))
	for _, k := range kinds {
		if byKind[k] > 0 {
			fmt.Println("  " + say("restore.open."+k, "N", byKind[k]))
		}
	}
	for i := range open[:min(len(open), maxPrinted)] {
		o := &open[i]
		fmt.Println("  " + say("restore.one", "Order", o.OrderID, "Serial", string(o.SerialNumber), "At", inUTC(o.RequestedAt),
			"State", say("restore.state."+kind(o))))
	}
	if more := len(open) - maxPrinted; more > 0 {
		fmt.Println("  " + say("trailVerify.more", "N", more))
	}
	fmt.Println(say("restore.newOnes"))
	if later != nil {
		fmt.Println(say("restore.older", "N", later.Size, "At", inUTC(later.Time)))
	}
	if m != nil {
		fmt.Println(say("restore.since", "At", inUTC(m.Made), "Ago", here.now.Sub(m.Made).Round(time.Second).String()))
	}
	if keeps {
		fmt.Println(say("restore.promise"))
	}
	return nil
}

// The kinds of cancellations that have not ended, by what becomes of them.
var kinds = []string{"held", string(models.Requested), string(models.Sending), string(models.Accepted), string(models.Unknown)}

func kind(o *lineage.Open) string {
	if o.Held {
		return kinds[0]
	}
	return string(o.State)
}

// open counts those that have not ended.
func (c *counts) open() (n int64) {
	for state, of := range c.Cancellations {
		if models.State(state).Open() {
			n += of
		}
	}
	return n
}

// major is the major version of the server that was dumped.
func (m *manifest) major() int {
	n, _ := strconv.Atoi(leadingNumber.FindString(m.Postgres))
	return n
}

func inUTC(t time.Time) string { return t.UTC().Format(time.RFC3339) }
