package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"veinte/models"
)

// foldedCase is a cancellation as its entries leave it.
type foldedCase struct {
	id                int64
	state, detail     string
	sequence          int
	moved             int64 // the entry of its last move
	begun             int64 // the entry that opened it; 0 while that is not here
	reason, requester string
	person            bool
	printed           *bool
	store             int64
	conflicts         []string
	raised            int64 // the entry of the last of them
	attempts          []foldedAttempt
}

type foldedAttempt struct {
	number       int
	entry        int64
	meaning      string // as far as the move behind it says
	meaningEntry int64
}

// folded folds the entries of the sale's cancellations, in the order of their numbers.
func (s *saleJudge) folded() []foldedCase {
	if s.done {
		return s.cases
	}
	s.done, s.cases = true, nil
	for i := range s.of.entries {
		if e := &s.of.entries[i]; e.cancellation != 0 {
			s.caseOf(e.cancellation).apply(e)
		}
	}
	slices.SortFunc(s.cases, func(a, b foldedCase) int { return cmp.Compare(a.id, b.id) })
	for i := range s.of.cases {
		c := &s.of.cases[i]
		s.unknownState = s.unknownState || s.inArchive(c, s.find(c.id))
	}
	return s.cases
}

// inArchive reports whether the last moves of a cancellation are in an archived month.
func (s *saleJudge) inArchive(c *caseRow, f *foldedCase) bool {
	if f == nil || f.state == "" {
		return s.isArchived(c.requested) || s.isArchived(c.changed)
	}
	return f.sequence > 0 && c.version > f.sequence && s.isArchived(c.changed)
}

func (s *saleJudge) find(id int64) *foldedCase {
	for i := range s.cases {
		if s.cases[i].id == id {
			return &s.cases[i]
		}
	}
	return nil
}

func (s *saleJudge) caseOf(id int64) *foldedCase {
	if f := s.find(id); f != nil {
		return f
	}
	s.cases = append(s.cases, foldedCase{id: id})
	return &s.cases[len(s.cases)-1]
}

func (f *foldedCase) apply(e *saleEntry) {
	f.store = e.store
	switch e.action {
	case models.ActionCancellationRequested:
		f.begun, f.reason, f.requester, f.person, f.printed = e.id, e.reason, e.actor, e.person, e.printed
		f.move(e)
	case models.ActionCancellationMoved:
		f.move(e)
		f.try(e)
	case models.ActionCancellationConflict:
		f.conflicts, f.raised = append(f.conflicts, e.conflict), e.id
	}
}

func (f *foldedCase) move(e *saleEntry) {
	f.state, f.detail, f.sequence, f.moved = e.state, e.detail, e.sequence, e.id
}

// try notes what a move says of its attempt.
func (f *foldedCase) try(e *saleEntry) {
	if e.attempt == 0 {
		return
	}
	if e.state == string(models.Sending) {
		f.attempts = append(f.attempts, foldedAttempt{number: e.attempt, entry: e.id})
		return
	}
	for i := range f.attempts {
		if a := &f.attempts[i]; a.number == e.attempt && a.meaning == "" {
			switch models.State(e.state) {
			case models.Accepted:
				a.meaning, a.meaningEntry = string(models.MeaningAccepted), e.id
			case models.Requested:
				a.meaning, a.meaningEntry = string(models.MeaningNotSent), e.id
			}
		}
	}
}

// cancellations compares the cancellations of the sale, and their attempts.
func (s *saleJudge) cancellations() {
	table := s.table(tableCancellations)
	folded := s.folded()
	for i := range s.of.cases {
		c := &s.of.cases[i]
		f := s.find(c.id)
		switch {
		case s.inArchive(c, f):
			table.Archived++
		case f == nil || f.state == "":
			s.differ(Unrecorded, tableCancellations, id(c.id), "", "", c.state+" · "+c.reason, 0)
		default:
			s.cancellation(table, c, f)
		}
		s.tries(c, f)
	}
	for i := range folded {
		f := &folded[i]
		there := slices.ContainsFunc(s.of.cases, func(c caseRow) bool { return c.id == f.id })
		if !there && f.moved != 0 {
			table.Compared++
			s.differ(Missing, tableCancellations, id(f.id), "", f.state+" · "+f.reason, "", f.moved)
		}
	}
}

func (s *saleJudge) cancellation(table *Table, c *caseRow, f *foldedCase) {
	table.Compared++
	field := func(name, recorded, found string, entry int64) {
		if recorded != found {
			s.differ(Changed, tableCancellations, id(c.id), name, recorded, found, entry)
		}
	}
	field("state", f.state, c.state, f.moved)
	field("detail", f.detail, c.detail, f.moved)
	field("store_id", s.storeName(f.store), s.storeName(c.store), f.moved)
	if f.sequence > 0 {
		field("version", fmt.Sprint(f.sequence), fmt.Sprint(c.version), f.moved)
	}
	if f.begun != 0 {
		field("reason", f.reason, c.reason, f.begun)
		field("requester", f.requester, c.requester, f.begun)
		if f.printed != nil {
			field("omit_receipt", fmt.Sprint(!*f.printed), fmt.Sprint(!c.printed), f.begun)
		}
	}
	// A post's contradiction takes the place of none that only the cancellation has.
	if c.conflict == "" && len(f.conflicts) > 0 || c.conflict != "" && !slices.Contains(f.conflicts, c.conflict) &&
		!s.isArchived(c.requested) {
		field("conflict", strings.Join(f.conflicts, ", "), c.conflict, f.raised)
	}
}

// tries compares the attempts of a cancellation.
func (s *saleJudge) tries(c *caseRow, f *foldedCase) {
	table := s.table(tableAttempts)
	name := func(number int) string { return fmt.Sprintf("%d/%d", c.id, number) }
	for i := range s.of.attempts {
		a := &s.of.attempts[i]
		if a.cancellation != c.id {
			continue
		}
		k := -1
		if f != nil {
			k = slices.IndexFunc(f.attempts, func(t foldedAttempt) bool { return t.number == a.number })
		}
		switch {
		case k < 0 && s.isArchived(a.started):
			table.Archived++
		case k < 0:
			s.differ(Unrecorded, tableAttempts, name(a.number), "", "", a.meaning, 0)
		default:
			table.Compared++
			if t := f.attempts[k]; t.meaning != "" && t.meaning != a.meaning {
				s.differ(Changed, tableAttempts, name(a.number), "meaning", t.meaning, a.meaning, t.meaningEntry)
			}
		}
	}
	if f == nil {
		return
	}
	for _, t := range f.attempts {
		if !slices.ContainsFunc(s.of.attempts, func(a attemptRow) bool { return a.cancellation == c.id && a.number == t.number }) {
			table.Compared++
			s.differ(Missing, tableAttempts, name(t.number), "", fmt.Sprint(t.number), "", t.entry)
		}
	}
}
