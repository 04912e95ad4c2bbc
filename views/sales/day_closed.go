package sales

import (
	"cmp"
	"slices"

	"veinte/views/ui"
)

// waitingStore is a store where customers wait.
type waitingStore struct {
	id      int64
	name    string
	waiting int
}

// maxWaitingStores is how many are named; the list of who waits has all of them.
const maxWaitingStores = 6

// waitingStores are the stores where customers wait, those with most first; none where
// the page shows only one.
func (v *SalesView) waitingStores() (all []waitingStore) {
	if v.oneStore() != nil {
		return nil
	}
	for i := range v.Pending.Sales {
		id := v.Pending.Sales[i].StoreID
		at := slices.IndexFunc(all, func(s waitingStore) bool { return s.id == id })
		if at < 0 {
			at, all = len(all), append(all, waitingStore{id: id, name: ui.StoreName(v.Stores, id)})
		}
		all[at].waiting++
	}
	slices.SortStableFunc(all, func(a, b waitingStore) int { return cmp.Compare(b.waiting, a.waiting) })
	return all[:min(len(all), maxWaitingStores)]
}
