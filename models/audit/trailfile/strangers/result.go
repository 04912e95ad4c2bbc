package strangers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Result is what strangers are worth to a file.
type Result struct {
	Found   []Problem `json:"-"`
	Remarks []Problem `json:"-"`
	// Vouches has for each stranger its word over most entries, and of those the earliest.
	Vouches []Vouch `json:"vouches,omitempty"`
	To      int64   `json:"to,omitempty"`        // entries for which strangers vouch as it was wished; 0 for none
	Present int     `json:"witnesses,omitempty"` // how many of those asked for signed the same checkpoint
	Unasked int     `json:"unasked,omitempty"`   // signatures of others that nobody asked to verify
}

const timeFormat = "2006-01-02 15:04:05Z"

// End concludes for a file of size entries. Only checkpoints of more than least entries
// vouch for it: of a proof, those that cover its entry.
func (j *Judge) End(least, size int64) Result {
	j.forked()
	r := Result{Unasked: j.unasked}
	j.vouches = slices.DeleteFunc(j.vouches, func(v Vouch) bool { return v.Size <= least })
	stamped, quorate := j.stamped(), j.quorate()
	r.To = max(stamped.Size, quorate.Size)
	most := j.most()
	r.Present = len(most)
	missing := false
	if j.wishes.Roots != nil && stamped.Size == 0 {
		missing = true
		j.lacks(NoStamp, "")
	}
	if len(j.wishes.Witnesses) > 0 && quorate.Size == 0 {
		missing = true
		j.lacks(NoQuorum, j.present(most))
	}
	for _, p := range j.weak {
		ofStamp := p.Code != WitnessKey
		if ofStamp && j.wishes.Roots != nil && stamped.Size == 0 || !ofStamp && quorate.Size == 0 {
			j.found = append(j.found, p)
		} else {
			r.Remarks = append(r.Remarks, p)
		}
	}
	j.old(missing, stamped.Time, quorate.Time)
	j.late()
	r.Found, r.Vouches = j.found, j.newest()
	if r.To > 0 && r.To < size {
		r.Remarks = append(r.Remarks, Problem{Code: NotVouched, N: -1, Detail: fmt.Sprintf("from n %d", r.To)})
	}
	return r
}

func (j *Judge) lacks(code, detail string) {
	j.found = append(j.found, Problem{Code: code, N: -1, Detail: detail})
}

// forked finds witnesses that signed two pasts: one of more entries than another one, which
// it contradicts.
func (j *Judge) forked() {
	for _, f := range j.forks {
		for _, v := range j.vouches {
			if v.Kind == ACosignature && v.Name == f.Name && v.Size >= f.Size {
				j.found = append(j.found, Problem{
					Code: WitnessForked, N: -1,
					Detail: fmt.Sprintf("%s signed checkpoints of %d and %d entries that contradict each other", f.Name, f.Size, v.Size),
				})
				break
			}
		}
	}
}

// stamped has the most entries that a stamp is over, and the time of the newest stamp.
func (j *Judge) stamped() (best Vouch) {
	for _, v := range j.vouches {
		if v.Kind == AStamp {
			best.Size = max(best.Size, v.Size)
			best.Time = later(best.Time, v.Time)
		}
	}
	return best
}

// quorate has the most entries under a checkpoint that enough witnesses cosigned, and the
// newest time since which enough of them had done it.
func (j *Judge) quorate() (best Vouch) {
	by := map[int64]map[string]time.Time{} // the latest of each witness, by size
	for _, v := range j.vouches {
		if v.Kind == ACosignature {
			if by[v.Size] == nil {
				by[v.Size] = map[string]time.Time{}
			}
			by[v.Size][v.Name] = later(by[v.Size][v.Name], v.Time)
		}
	}
	need := j.wishes.quorum()
	for size, witnesses := range by {
		var times []time.Time
		for _, at := range witnesses {
			times = append(times, at)
		}
		slices.SortFunc(times, func(a, b time.Time) int { return b.Compare(a) })
		if need > 0 && len(times) >= need {
			best.Size = max(best.Size, size)
			best.Time = later(best.Time, times[need-1])
		}
	}
	return best
}

// most are the witnesses of the checkpoint that most of them signed.
func (j *Judge) most() (most []string) {
	by := map[int64][]string{}
	for _, v := range j.vouches {
		if v.Kind == ACosignature && !slices.Contains(by[v.Size], v.Name) {
			if by[v.Size] = append(by[v.Size], v.Name); len(by[v.Size]) > len(most) {
				most = by[v.Size]
			}
		}
	}
	return most
}

// present says how many of the witnesses signed, and who did not.
func (j *Judge) present(most []string) string {
	lack := slices.DeleteFunc(j.wishes.Names(), func(name string) bool { return slices.Contains(most, name) })
	return fmt.Sprintf("%d of %d; missing: %s", len(most), j.wishes.quorum(), strings.Join(lack, ", "))
}

// old judges the age of the newest word. Where none is there, that was said already.
func (j *Judge) old(missing bool, times ...time.Time) {
	if j.wishes.MaxAge == 0 || missing {
		return
	}
	newest := slices.MaxFunc(times, time.Time.Compare)
	switch {
	case newest.IsZero():
		j.lacks(TooOld, "nobody has signed")
	case j.wishes.Now.Sub(newest) > j.wishes.MaxAge:
		j.lacks(TooOld, newest.Format(timeFormat))
	}
}

// late finds the first entry that was not stamped in time: no stamp over it is from then,
// and the time is over.
func (j *Judge) late() {
	if len(j.entries) == 0 {
		return
	}
	var stamps []Vouch // by size; each the earliest of those of its size or more
	for _, v := range j.vouches {
		if v.Kind == AStamp {
			stamps = append(stamps, v)
		}
	}
	slices.SortFunc(stamps, func(a, b Vouch) int { return cmp.Compare(a.Size, b.Size) })
	for i := len(stamps) - 2; i >= 0; i-- {
		if stamps[i+1].Time.Before(stamps[i].Time) {
			stamps[i].Time = stamps[i+1].Time
		}
	}
	for _, e := range j.entries {
		for len(stamps) > 0 && stamps[0].Size <= e.n {
			stamps = stamps[1:]
		}
		until := e.at.Add(j.wishes.StampedWithin)
		if !j.wishes.Now.After(until) || len(stamps) > 0 && !stamps[0].Time.After(until) {
			continue
		}
		detail := "it has none"
		if len(stamps) > 0 {
			detail = stamps[0].Time.Format(timeFormat)
		}
		j.found = append(j.found, Problem{StampedLate, e.n, e.id, e.line, detail})
		return
	}
}

// newest is for each stranger the word over most entries, and of those the earliest.
func (j *Judge) newest() (all []Vouch) {
	for _, v := range j.vouches {
		i := slices.IndexFunc(all, func(a Vouch) bool { return a.Kind == v.Kind && a.Name == v.Name })
		switch {
		case i < 0:
			all = append(all, v)
		case v.Size > all[i].Size || v.Size == all[i].Size && v.Time.Before(all[i].Time):
			all[i] = v
		}
	}
	slices.SortStableFunc(all, func(a, b Vouch) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), a.Time.Compare(b.Time), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
