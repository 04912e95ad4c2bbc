package oversight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
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
	rows, err := rowsOf[struct {
		Kind, Subject   string
		Members, Stores []int64
		OversightMark
	}](ctx, l, `SELECT kind, subject, m.id, m.marker, m.marked_by AS marker_id, m.marked_at, m.note, m.members, m.stores
		FROM unnest($1::text[], $2::text[]) AS n(kind, subject) JOIN oversight_marks m USING (kind, subject) ORDER BY m.id`, kinds, subjects)
	if err != nil {
		return fmt.Errorf("read marks: %w", err)
	}
	for _, r := range rows {
		m := r.OversightMark
		m.members, m.Cancellations = r.Members, len(r.Members)
		if slices.ContainsFunc(r.Stores, func(id int64) bool { return !l.actor.Sees(id) }) {
			m.Marker, m.MarkerID, m.Note, m.Cancellations = "", 0, "", 0
		}
		f := at[[2]string{r.Kind, r.Subject}]
		f.Marks = append(f.Marks, m)
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
	reviewed := map[int64]bool{}
	f.Marks = slices.DeleteFunc(f.Marks, func(m OversightMark) bool {
		about := false
		for _, id := range m.members {
			if _, here := slices.BinarySearch(mine, id); here {
				about, reviewed[id] = true, true
			}
		}
		return !about
	})
	f.New = len(mine) - len(reviewed)
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
	if f.About(actor) {
		return &models.Error{Kind: models.KindConflict, Code: "oversight.own"}
	}
	note, err := models.Text("note", in.Note, 500)
	if err != nil {
		return err
	}
	now := o.clock.Now()
	mark := func(t database.Tx) error {
		last, err := lastMark(ctx, t, f)
		switch {
		case err != nil:
			return err
		case last.ID != in.Last && last.MarkedBy == actor.UserID && last.Note == note && checksum(last.Members) == in.Seen:
			return nil // pressed twice
		case last.ID != in.Last:
			return &models.Error{Kind: models.KindConflict, Code: "error.markedMeanwhile"}
		case f.Checksum() != in.Seen:
			return models.ErrStale
		}
		return mark(ctx, t, actor, now, f, found.Filter, note)
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

// About reports whether the finding is about the person's own actions. Others have
// to review it; until then it counts as unreviewed.
func (f *Finding) About(actor models.Actor) bool {
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
	Members  string // as text that checksum takes
}

// lastMark reads the newest mark about the finding's cancellations.
func lastMark(ctx context.Context, t database.Tx, f *Finding) (markRow, error) {
	rows, err := database.TxRows[markRow](ctx, t, `SELECT id, marked_by, note, array_to_string(members, ' ') || ' ' AS members
		FROM oversight_marks WHERE kind = $1 AND subject = $2 AND members && $3 ORDER BY id DESC LIMIT 1`, f.Kind, f.Subject, f.members())
	if err != nil {
		return markRow{}, fmt.Errorf("read the last mark: %w", err)
	}
	return append(rows, markRow{})[0], nil
}

func mark(ctx context.Context, t database.Tx, actor models.Actor, now time.Time, f *Finding, filter Filter, note string) error {
	stores := f.stores()
	_, err := t.SQL.ExecContext(ctx, `INSERT INTO oversight_marks
			(kind, subject, members, stores, note, marked_at, marked_by, marker, follows)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, (SELECT max(m.id) FROM oversight_marks m WHERE m.kind = $1 AND m.subject = $2)`,
		f.Kind, f.Subject, f.members(), stores, note, now, actor.UserID, actor.Name)
	if err != nil {
		return fmt.Errorf("mark %s %s: %w", f.Kind, f.Subject, err)
	}
	a := audit.About{Reason: note, After: map[string]any{
		"finding": f.Kind, "subject": models.Legible(f.Name, 100), "cases": len(f.members()), "unlooked": f.New,
		"from": filter.From, "to": filter.To,
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

// waitingAge is how old the unreviewed findings of the inbox may be.
const waitingAge = time.Minute

// Waiting is a finding that nobody has reviewed, as the inbox shows it.
type Waiting struct {
	Kind    FindingKind
	Subject string
	Name    string // as Finding has it
	ID      int64
	Count   int // the cancellations behind it
	Amount  models.Money
	At      time.Time // the latest of them
	by      []string  // who requested them
}

// About reports whether it is about the person's own acts: another one handles it.
func (w *Waiting) About(actor models.Actor) bool {
	return w.Subject == actor.Subject() || slices.Contains(w.by, actor.Subject())
}

// Unreviewed returns the last known unreviewed findings of the last weeks, the strongest
// first; none for users who may not read them. Every page of a supervisor counts them and
// none waits for them: when they are older than a minute they are found again in the
// background.
func (o *Service) Unreviewed(ctx context.Context, actor models.Actor) ([]Waiting, error) {
	if !actor.May(models.Oversee) {
		return nil, nil
	}
	scope := "all"
	if !actor.AllStores {
		scope = fmt.Sprint(slices.Sorted(slices.Values(actor.StoreIDs)))
	}
	o.mu.Lock()
	b := o.waiting[scope]
	if b == nil {
		b = &database.Cache[[]Waiting]{}
		o.waiting[scope] = b
	}
	o.mu.Unlock()
	return b.GetOrErr(waitingAge, func() ([]Waiting, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(database.Alone(ctx)), maxFindTime)
		defer cancel()
		found, err := o.Findings(ctx, actor, Filter{})
		if err != nil {
			return nil, err
		}
		return found.waiting(), nil
	})
}

// waiting are the outliers that nobody has reviewed, in their order.
func (f *Findings) waiting() (all []Waiting) {
	for i := range f.List {
		if x := &f.List[i]; x.Outlier && x.New > 0 {
			w := Waiting{
				Kind: x.Kind, Subject: x.Subject, Name: x.Name, ID: x.ID, Count: len(x.Cancellations), Amount: x.Amount,
				At: x.Cancellations[0].RequestedAt,
			}
			for j := range x.Cancellations {
				w.by = append(w.by, x.Cancellations[j].Requester)
			}
			slices.Sort(w.by)
			w.by = slices.Compact(w.by)
			all = append(all, w)
		}
	}
	return all
}

// maxFindTime limits how long they are looked for in the background.
const maxFindTime = 10 * time.Second

// forget makes the next request find them again.
func (o *Service) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.waiting {
		b.Forget()
	}
}
