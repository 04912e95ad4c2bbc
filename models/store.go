package models

import "time"

// Store is a shop: a place with people and terminals.
type Store struct {
	ID        int64
	Code      string // short name in lists and files, such as CDMX-01
	Name      string
	TimeZone  string // IANA name; its people see this clock beside Mexico City's
	Version   int
	CreatedAt time.Time
}

// Zone returns the store's time zone; Mexico City's when the name is unknown to
// this program's zone data.
func (s *Store) Zone() *time.Location {
	loc, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		loc, _ = time.LoadLocation("America/Mexico_City")
	}
	return loc
}
