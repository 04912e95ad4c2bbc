package models_test

import (
	"testing"
	"time"

	"veinte/models"
)

// A time that nobody vouches for does not make a sale younger than the copy of a
// database to which it comes.
func TestMayPrecede(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 11, 20, hour, 0, 0, 0, models.MexicoCity) }
	made := func(hour int, change func(*models.Sale)) models.Sale {
		s := models.Sale{Source: models.SourceTerminal, BusinessDay: "2026-11-20", SoldAt: at(hour), ReceivedAt: at(hour)}
		change(&s)
		return s
	}
	for name, tt := range map[string]struct {
		sale models.Sale
		want bool
	}{
		"before":                     {made(11, func(*models.Sale) {}), true},
		"at the same instant":        {made(12, func(*models.Sale) {}), false},
		"since":                      {made(13, func(*models.Sale) {}), false},
		"before, and received since": {made(11, func(s *models.Sale) { s.ReceivedAt = at(13) }), true},
		"received before":            {made(13, func(s *models.Sale) { s.ReceivedAt = at(11) }), true},
		"typed":                      {made(13, func(s *models.Sale) { s.Source = models.SourceManual }), true},
		"of a day that nobody knows": {made(13, func(s *models.Sale) { s.DayUnproven = true }), true},
		"typed a day later": {made(13, func(s *models.Sale) {
			s.Source, s.BusinessDay, s.SoldAt, s.ReceivedAt = models.SourceManual, "2026-11-21", at(37), at(37)
		}), false},
	} {
		if got := tt.sale.MayPrecede(at(12)); got != tt.want {
			t.Errorf("a sale %s: MayPrecede() = %t, want %t", name, got, tt.want)
		}
	}
}
