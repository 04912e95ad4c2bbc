package models

import (
	"context"
	"slices"
)

// one reports whether a single finding is asked for: then nothing else is counted.
func (l *look) one() bool { return l.Kind != "" && l.Subject != "" }

// find looks for every pattern. The list has what is asked for, the counts are of
// all.
func (l *look) find(ctx context.Context) (*Findings, error) {
	found := &Findings{Filter: l.OversightFilter, New: map[FindingKind]int{}, FewNew: map[FindingKind]int{}}
	ground, err := l.survey(ctx)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		of   []FindingKind
		find func(context.Context, *survey, *Findings) error
	}{
		{[]FindingKind{FindPerson}, l.people},
		{[]FindingKind{FindApprover}, l.approvers},
		{[]FindingKind{FindLate, FindOwn, FindQuick, FindLarge}, l.flagged},
		{[]FindingKind{FindCard}, l.cards},
		{[]FindingKind{FindRefusals}, l.refusals},
	} {
		if l.one() && !slices.Contains(part.of, l.Kind) {
			continue
		}
		if err := part.find(ctx, ground, found); err != nil {
			return nil, err
		}
	}
	found.List = slices.DeleteFunc(found.List, func(f Finding) bool {
		return len(f.Cases) == 0 || f.Kind != l.Kind && !f.Stands && !f.Few
	})
	for i := range found.List {
		found.List[i].finish()
	}
	if err := l.marks(ctx, found.List); err != nil {
		return nil, err
	}
	for i := range found.List {
		f := &found.List[i]
		switch {
		case f.New == 0:
		case f.Stands:
			found.New[f.Kind]++
		case f.Few:
			found.FewNew[f.Kind]++
		}
	}
	found.List = slices.DeleteFunc(found.List, func(f Finding) bool { return l.Kind != "" && f.Kind != l.Kind })
	found.sort()
	return found, nil
}

// survey is what several patterns are judged by: who asked for how many, and what
// was sold.
type survey struct {
	people []cell
	sold   []soldCell
}

func (l *look) survey(ctx context.Context) (*survey, error) {
	var s survey
	var err error
	if l.one() && l.Kind == FindRefusals {
		return &s, nil
	}
	if s.people, err = l.cells(ctx, ByPerson); err != nil {
		return nil, err
	}
	s.sold, err = l.sold(ctx)
	return &s, err
}

func (l *look) people(ctx context.Context, ground *survey, found *Findings) error {
	return l.farOut(ctx, ByPerson, FindPerson, ground.people, ground.sold, found)
}

func (l *look) approvers(ctx context.Context, ground *survey, found *Findings) error {
	cells, err := l.cells(ctx, ByApprover)
	if err != nil {
		return err
	}
	return l.farOut(ctx, ByApprover, FindApprover, cells, ground.sold, found)
}

// farOut makes findings of the report's rows that stand out, or of the one that
// is asked for.
func (l *look) farOut(ctx context.Context, by OversightBy, kind FindingKind, cells []cell, sold []soldCell, found *Findings) error {
	report := *l
	report.By = by
	rows := slices.DeleteFunc(newBench(by, cells, sold).judge(), func(r OversightRow) bool {
		return r.Key == "" || !r.Out() && (l.Kind != kind || l.Subject != r.Key)
	})
	if len(rows) == 0 {
		return nil
	}
	if err := report.name(ctx, rows, cells); err != nil {
		return err
	}
	cases, err := l.casesOf(ctx, by, rows)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		found.List = append(found.List, Finding{
			Kind: kind, Subject: r.Key, Name: r.Name, ID: r.ID, Cases: cases[r.Key], Row: r, Stands: r.Out(), Few: r.Own.Few && r.Peers.Few,
		})
	}
	return nil
}
