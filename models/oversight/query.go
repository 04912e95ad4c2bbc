package oversight

import (
	"context"
	"slices"
)

// oneFinding reports whether one finding is requested: then nothing else is
// counted.
func (l *query) oneFinding() bool { return l.Kind != "" && l.Subject != "" }

// findings checks every pattern. The list has what is requested, the counts are of
// all.
func (l *query) findings(ctx context.Context) (*Findings, error) {
	found := &Findings{Filter: l.Filter, New: map[FindingKind]int{}, FewNew: map[FindingKind]int{}}
	sums, err := l.readAggregates(ctx)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		of   []FindingKind
		find func(context.Context, *aggregates, *Findings) error
	}{
		{[]FindingKind{FindPerson}, l.people},
		{[]FindingKind{FindApprover}, l.approvers},
		{[]FindingKind{FindLate, FindOwn, FindQuick, FindLarge}, l.flagged},
		{[]FindingKind{FindCard}, l.cards},
		{[]FindingKind{FindRefusals}, l.refusals},
	} {
		if l.oneFinding() && !slices.Contains(part.of, l.Kind) {
			continue
		}
		if err := part.find(ctx, sums, found); err != nil {
			return nil, err
		}
	}
	found.List = slices.DeleteFunc(found.List, func(f Finding) bool {
		return len(f.Cancellations) == 0 || f.Kind != l.Kind && !f.Outlier && !f.Few
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
		case f.Outlier:
			found.New[f.Kind]++
		case f.Few:
			found.FewNew[f.Kind]++
		}
	}
	found.List = slices.DeleteFunc(found.List, func(f Finding) bool { return l.Kind != "" && f.Kind != l.Kind })
	found.sort()
	return found, nil
}

// aggregates are the sums that several patterns use: requests by person, and sales.
type aggregates struct {
	people []bucket
	sold   []soldBucket
}

func (l *query) readAggregates(ctx context.Context) (*aggregates, error) {
	var s aggregates
	var err error
	if l.oneFinding() && l.Kind == FindRefusals {
		return &s, nil
	}
	if s.people, err = l.buckets(ctx, ByPerson); err != nil {
		return nil, err
	}
	s.sold, err = l.sold(ctx, false)
	return &s, err
}

func (l *query) people(ctx context.Context, sums *aggregates, found *Findings) error {
	return l.outliers(ctx, ByPerson, FindPerson, sums.people, sums.sold, found)
}

func (l *query) approvers(ctx context.Context, sums *aggregates, found *Findings) error {
	buckets, err := l.buckets(ctx, ByApprover)
	if err != nil {
		return err
	}
	return l.outliers(ctx, ByApprover, FindApprover, buckets, sums.sold, found)
}

// outliers makes findings of the report's rows that are outliers, or of the one that
// is requested.
func (l *query) outliers(ctx context.Context, by By, kind FindingKind, buckets []bucket, sold []soldBucket, found *Findings) error {
	report := *l
	report.By = by
	rows := slices.DeleteFunc(newBaseline(by, buckets, sold).judge(), func(r Row) bool {
		return r.Key == "" || !r.Out() && (l.Kind != kind || l.Subject != r.Key)
	})
	if len(rows) == 0 {
		return nil
	}
	if err := report.name(ctx, rows, buckets); err != nil {
		return err
	}
	list, err := l.cancellationsOf(ctx, by, rows)
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		found.List = append(found.List, Finding{
			Kind: kind, Subject: r.Key, Name: r.Name, ID: r.ID, Cancellations: list[r.Key],
			Row: r, Outlier: r.Out(), Few: r.Own.Few && r.Peers.Few,
		})
	}
	return nil
}
