package entrance

import (
	"time"

	"veinte/views/ui"
)

// SignInLine is a sign-in in the list of a person's last ones.
type SignInLine struct {
	At      time.Time
	In      bool   // they came in
	Why     string // it was refused, as the code of a text
	Way     string // "" where it was refused, and of old ones
	New     bool   // in a browser that was not known
	More    int    // others like it within the minute
	Agent   string // the browser, as people call it; "" when it is not known
	Address string
}

// AccountView is a person's own account.
type AccountView struct {
	ui.Page
	Sessions []ui.SessionLine
	Devices  []ui.DeviceLine
	SignIns  []SignInLine
	Password bool          // they have one
	Errors   ui.Errors     // current, password, again
	Counters *CountersView // nil: they manage none
}
