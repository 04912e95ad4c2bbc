package entrance

import (
	"net/url"

	"veinte/models"
	"veinte/models/counters"
	"veinte/views/ui"
)

// CounterView is where people take turns at a counter device.
type CounterView struct {
	ui.Page
	*counters.Here
	Chosen int64     // of the people, who is about to come in; 0: nobody yet
	Of     int64     // who was there before a rest, and goes on where they were; 0: nobody
	Next   string    // where that is
	Ended  string    // as in LoginView
	Left   int       // how many more PINs may be tried after a wrong one
	Errors ui.Errors // person, pin
	// Samples are the demo's people, with their PINs.
	Samples []SampleLogin
}

// waits reports whether somebody is chosen, so that only their PIN is missing.
func (v *CounterView) waits() bool { return v.Chosen != 0 && v.Errors["person"] == "" }

// first is the first of the people who may come in with a PIN now.
func (v *CounterView) first() int64 {
	for _, p := range v.People {
		if !p.Shut {
			return p.ID
		}
	}
	return 0
}

// login is the way in with everything else, which leads on to the same page.
func (v *CounterView) login() string {
	if v.Next == "" || v.Next == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {v.Next}}.Encode()
}

// CountersView are the counter devices of a person's stores, in their account.
type CountersView struct {
	Lines   []counters.Counter
	Stores  []models.Store
	Name    string // as typed
	StoreID int64
	Errors  ui.Errors // name, store
}

func (v *CountersView) options() []ui.Option {
	all := make([]ui.Option, len(v.Stores))
	for i, s := range v.Stores {
		all[i] = ui.Option{Value: ui.Itoa(s.ID), Text: s.Name}
	}
	return all
}
