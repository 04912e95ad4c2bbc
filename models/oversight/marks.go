package oversight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/reconciliation"
)

// marks reads the notes on the findings, and which cancellations are unreviewed. A
// mark covers the cancellations that its author saw. A later one makes the finding
// new again, for users of all its stores or of some.
func (l *query) marks(ctx context.Context, list []Finding) error {
	at := map[[2]string]*Finding{}
	var kinds, subjects []string
	for i := range list {
		f := &list[i]
		at[[2]string{string(f.Kind), f.Subject}] = f
		kinds, subjects = append(kinds, string(f.Kind)), append(subjects, f.Subject)
	}
	rows, err := l.db.Pool().Query(ctx, `SELECT m.kind, m.subject, m.id, m.marker, m.marked_by, m.marked_at, m.note, m.members, m.stores
		FROM unnest($1::text[], $2::text[]) AS n(kind, subject) JOIN oversight_marks m USING (kind, subject) ORDER BY m.id`, kinds, subjects)
	if err != nil {
		return fmt.Errorf("read marks: %w", err)
	}
	var kind, subject string
	var m OversightMark
	var stores []int64
	_, err = pgx.ForEachRow(rows, []any{&kind, &subject, &m.ID, &m.Marker, &m.MarkerID, &m.MarkedAt, &m.Note, &m.members, &stores}, func() error {
		m.Cancellations = len(m.members)
		if slices.ContainsFunc(stores, func(id int64) bool { return !l.actor.Sees(id) }) {
			m.Marker, m.MarkerID, m.Note, m.Cancellations = "", 0, "", 0
		}
		f := at[[2]string{kind, subject}]
		f.Marks = append(f.Marks, m)
		m = OversightMark{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read marks: %w", err)
	}
	for i := range list {
		list[i].cover()
	}
	return nil
}

// cover counts the unreviewed cancellations, and drops the marks that cover none of
// the finding's cancellations: they were about another period.
func (f *Finding) cover() {
	mine := f.members()
	looked := map[int64]bool{}
	f.Marks = slices.DeleteFunc(f.Marks, func(m OversightMark) bool {
		about := false
		for _, id := range m.members {
			if _, here := slices.BinarySearch(mine, id); here {
				about, looked[id] = true, true
			}
		}
		return !about
	})
	f.New = len(mine) - len(looked)
}

// MarkInput is somebody's review of a finding.
type MarkInput struct {
	Filter Filter // names the finding by kind and subject
	Seen   string // the checksum of the cancellations that the page showed
	Last   int64  // the newest mark that the page showed; 0: none
	Note   string
}

// Mark records that the actor has reviewed a finding, and their note. It covers the
// cancellations that they saw; later ones need another review. The same note sent
// twice is stored once.
//
// Errors: ErrForbidden, ErrNotFound when the finding no longer exists, what is wrong
// with the note, oversight.own for what the actor did, error.markedMeanwhile when
// somebody marked it since, ErrStale when other cancellations are behind it than
// were shown.
func (o *Service) Mark(ctx context.Context, actor models.Actor, in MarkInput) error {
	if !actor.May(models.Oversee) || !actor.May(models.ReviewCancellations) {
		return models.ErrForbidden
	}
	f, found, err := o.Finding(ctx, actor, in.Filter)
	if err != nil {
		return err
	}
	if f.about(actor) {
		return &models.Error{Kind: models.KindConflict, Code: "oversight.own"}
	}
	note, err := models.Text("note", in.Note, 500)
	if err != nil {
		return err
	}
	now := o.clock.Now()
	mark := func(t database.Tx) error {
		last, err := lastMark(t, f)
		switch {
		case err != nil:
			return err
		case last.ID != in.Last && last.MarkedBy == actor.UserID && last.Note == note && last.Checksum == in.Seen:
			return nil // pressed twice
		case last.ID != in.Last:
			return &models.Error{Kind: models.KindConflict, Code: "error.markedMeanwhile"}
		case f.Checksum() != in.Seen:
			return models.ErrStale
		}
		return mark(t, actor, now, f, found.Filter, note)
	}
	for range marksAtOnce {
		err = o.db.InTx(ctx, mark)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.ConstraintName != "oversight_marks_follows" {
			break
		}
		// Somebody else was first: check again with their mark.
	}
	o.forget()
	return err
}

// about reports whether the finding is about the person's own actions. Others have
// to review it; until then it counts as unreviewed.
func (f *Finding) about(actor models.Actor) bool {
	self := actor.Subject()
	return f.Subject == self || slices.ContainsFunc(f.Cancellations, func(c Cancellation) bool { return c.Requester == self })
}

// marksAtOnce is how often a mark is retried while others mark the same finding.
const marksAtOnce = 5

// markRow is the newest mark of a finding as its table stores it.
type markRow struct {
	ID       int64
	MarkedBy int64
	Note     string
	Members  string
	Checksum string `gorm:"-"`
}

// lastMark reads the newest mark about the finding's cancellations.
func lastMark(t database.Tx, f *Finding) (markRow, error) {
	var rows []markRow
	err := t.Raw(`SELECT id, marked_by, note, array_to_string(members, ' ') AS members FROM oversight_marks
		WHERE kind = ? AND subject = ? AND members && ?::bigint[] ORDER BY id DESC LIMIT 1`, f.Kind, f.Subject, reconciliation.StoreArray(f.members())).Scan(&rows).Error
	if err != nil {
		return markRow{}, fmt.Errorf("read the last mark: %w", err)
	}
	if len(rows) == 0 {
		return markRow{}, nil
	}
	seen := Finding{}
	for _, id := range strings.Fields(rows[0].Members) {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return markRow{}, fmt.Errorf("read the last mark: %w", err)
		}
		seen.Cancellations = append(seen.Cancellations, Cancellation{ID: n})
	}
	rows[0].Checksum = seen.Checksum()
	return rows[0], nil
}

func mark(t database.Tx, actor models.Actor, now time.Time, f *Finding, filter Filter, note string) error {
	stores := f.stores()
	err := t.Exec(`INSERT INTO oversight_marks (kind, subject, members, stores, note, marked_at, marked_by, marker, follows)
		SELECT n.kind, n.subject, ?::bigint[], ?::bigint[], ?, ?, ?, ?,
			(SELECT max(m.id) FROM oversight_marks m WHERE m.kind = n.kind AND m.subject = n.subject)
		FROM (SELECT ?::text AS kind, ?::text AS subject) n`,
		reconciliation.StoreArray(f.members()), reconciliation.StoreArray(stores), note, now, actor.UserID, actor.Name, f.Kind, f.Subject).Error
	if err != nil {
		return fmt.Errorf("mark %s %s: %w", f.Kind, f.Subject, err)
	}
	a := audit.About{Reason: note, After: map[string]any{
		"finding": f.Kind, "subject": models.Legible(f.Name, 100), "cases": len(f.members()), "unlooked": f.New, "from": filter.From, "to": filter.To,
	}}
	if len(stores) == 1 {
		a.Store = &models.Store{}
		if err := database.TakeRow(t.Where("id = ?", stores[0]), a.Store); err != nil {
			return err
		}
	}
	return audit.Record(t, actor, now, models.ActionFindingReviewed, models.OutcomeSuccess, a)
}

// stores are the stores of the cancellations.
func (f *Finding) stores() []int64 {
	stores := []int64{}
	for i := range f.Cancellations {
		if f.Cancellations[i].StoreID != 0 {
			stores = append(stores, f.Cancellations[i].StoreID)
		}
	}
	slices.Sort(stores)
	return slices.Compact(stores)
}

// countAge is how old the number in the navigation may be.
const countAge = time.Minute

// Unreviewed is the last known number of unreviewed findings of the last weeks; 0
// for users who may not mark any. Every page shows it and none waits for it: when it
// is older than a minute it is counted again in the background.
func (o *Service) Unreviewed(ctx context.Context, actor models.Actor) (int, error) {
	if !actor.May(models.Oversee) || !actor.May(models.ReviewCancellations) {
		return 0, nil
	}
	scope := "all"
	if !actor.AllStores {
		scope = fmt.Sprint(slices.Sorted(slices.Values(actor.StoreIDs)))
	}
	o.mu.Lock()
	b := o.counts[scope]
	if b == nil {
		b = &database.Cache[int]{}
		o.counts[scope] = b
	}
	o.mu.Unlock()
	n, failed := b.GetOrErr(countAge, func() (int, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxCountTime)
		defer cancel()
		found, err := o.Findings(ctx, actor, Filter{})
		if err != nil {
			return 0, err
		}
		return found.Unreviewed(), nil
	})
	return n, failed
}

// maxCountTime limits the count in the background.
const maxCountTime = 10 * time.Second

// forget makes the next request count again.
func (o *Service) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.counts {
		b.Forget()
	}
}
