package models

import (
	"sync"
	"time"
)

// OfImport returns the attributes of a store that an import created.
func (s *Store) OfImport(importID int64) map[string]any {
	m := s.Attributes()
	m["importId"] = importID
	return m
}

// Store is a shop: a place with people and terminals.
type Store struct {
	ID        int64
	Code      string // short name in lists and files, such as CDMX-01
	Name      string
	TimeZone  string // IANA name; pages show this clock beside Mexico City's
	Version   int
	CreatedAt time.Time
	// Traceability is the template of the merchant's own object in what is sent for
	// its terminals; "" is none. BareTraceability sends {} and no attempt id.
	Traceability     string
	BareTraceability bool
}

// Zone returns the store's time zone. It is Mexico City's when the name is not in
// this program's zone data.
func (s *Store) Zone() *time.Location {
	if loc, ok := zones.Load(s.TimeZone); ok {
		return loc.(*time.Location)
	}
	loc, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		loc = MexicoCity
	}
	zones.Store(s.TimeZone, loc)
	return loc
}

// zones caches loaded time zones: reading a zone's file for every row took nine
// tenths of a list's time.
var zones sync.Map

func (s *Store) Attributes() map[string]any {
	m := map[string]any{"code": s.Code, "name": s.Name, "timeZone": s.TimeZone}
	if s.Traceability != "" {
		m["traceability"] = s.Traceability
	}
	if s.BareTraceability {
		m["bareTraceability"] = true
	}
	return m
}
