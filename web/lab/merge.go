package lab

import "maps"

// Merge adds what another laboratory's judge found, where an experiment is done
// in several.
func (v *Verdict) Merge(o *Verdict) {
	v.Sales += o.Sales
	v.Canceled += o.Canceled
	v.Clicks += o.Clicks
	v.Acknowledged += o.Acknowledged
	v.Unanswered += o.Unanswered
	v.Cases += o.Cases
	v.Deliveries += o.Deliveries
	v.CutRequests += o.CutRequests
	v.Refused += o.Refused
	v.Doubles += o.Doubles
	v.Unrecorded += o.Unrecorded
	v.Lost += o.Lost
	v.Contradictions += o.Contradictions
	v.Unproven += o.Unproven
	v.Posts += o.Posts
	v.PostsLost += o.PostsLost
	v.Moves += o.Moves
	v.Automatically += o.Automatically
	v.ByPeople += o.ByPeople
	v.LeftOpen += o.LeftOpen
	v.States, v.Faults = sum(v.States, o.States), sum(v.Faults, o.Faults)
	v.Violations = append(v.Violations, o.Violations...)
}

func sum(a, b map[string]int) map[string]int {
	total := make(map[string]int, len(a))
	maps.Copy(total, a)
	for name, n := range b {
		total[name] += n
	}
	return total
}
