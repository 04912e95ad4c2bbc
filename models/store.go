package models

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
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

// Label is a store in a box that one types into: by its code, which is unique, and
// its name.
func (s *Store) Label() string { return s.Code + " · " + s.Name }

// FindStores returns the stores that a person means by what they typed: those with
// exactly this label, code or name, else all with a part of it in their label. Case and
// accents do not matter.
func FindStores(stores []Store, typed string) []Store {
	text := foldStore(typed)
	if text == "" {
		return nil
	}
	code, name := func(s *Store) string { return s.Code }, func(s *Store) string { return s.Name }
	for _, exact := range []func(*Store) string{(*Store).Label, code, name} {
		if found := keep(stores, func(s *Store) bool { return foldStore(exact(s)) == text }); len(found) > 0 {
			return found
		}
	}
	return keep(stores, func(s *Store) bool { return strings.Contains(foldStore(s.Label()), text) })
}

func keep(stores []Store, is func(*Store) bool) (kept []Store) {
	for i := range stores {
		if is(&stores[i]) {
			kept = append(kept, stores[i])
		}
	}
	return kept
}

func foldStore(s string) string {
	return strings.Join(strings.Fields(Unaccented(strings.ToLower(s))), " ")
}

// ByCode orders stores as people count: CDMX-2 before CDMX-10.
func ByCode(a, b Store) int { return cmp.Or(Natural(a.Code, b.Code), cmp.Compare(a.Code, b.Code)) }

// Natural compares texts with the numbers in them as numbers, without case.
func Natural(a, b string) int {
	one, other := chunks(a), chunks(b)
	return slices.CompareFunc(one, other, func(x, y string) int {
		n, errN := strconv.ParseUint(x, 10, 64)
		m, errM := strconv.ParseUint(y, 10, 64)
		if errN == nil && errM == nil {
			return cmp.Compare(n, m)
		}
		return cmp.Compare(x, y)
	})
}

// chunks splits a text where digits begin or end.
func chunks(s string) (parts []string) {
	s = strings.ToLower(s)
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	from := 0
	for i := 1; i <= len(s); i++ {
		if i == len(s) || digit(s[i]) != digit(s[i-1]) {
			parts = append(parts, s[from:i])
			from = i
		}
	}
	return parts
}
