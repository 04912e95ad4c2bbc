package models

import "time"

// Session is a person's sign-in, as a request of theirs finds it.
type Session struct {
	ID       int64     // its number on pages; 0: there is none
	DeviceID int64     // 0: of a release that knew none
	Own      bool      // the person said that the device is theirs
	SeenAt   time.Time // their last act, within a minute
	ProvedAt time.Time // when they last proved who they are
}
