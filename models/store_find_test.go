package models_test

import (
	"slices"
	"testing"

	"veinte/models"
)

// TestStoresAreFoundAsTheyAreTyped takes what people type: a code, a name, a part.
func TestStoresAreFoundAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	stores := []models.Store{
		{Code: "CDMX-1", Name: "Roma Norte"},
		{Code: "CDMX-10", Name: "Polanco"},
		{Code: "CDMX-2", Name: "Álamos"},
		{Code: "2", Name: "Centro"},
		{Code: "GDL-1", Name: "Centro"},
		{Code: "10", Name: "Plaza 2"},
	}
	for _, tt := range []struct {
		typed string
		want  []string
	}{
		{"CDMX-1", []string{"CDMX-1"}}, // exactly, though another begins so
		{" cdmx-10 ", []string{"CDMX-10"}},
		{"2", []string{"2"}}, // its code is a number, which is no id
		{"alamos", []string{"CDMX-2"}},
		{"CDMX-2 · Álamos", []string{"CDMX-2"}},
		{"roma", []string{"CDMX-1"}},
		{"centro", []string{"2", "GDL-1"}},
		{"cdmx", []string{"CDMX-1", "CDMX-10", "CDMX-2"}},
		{"Tijuana", nil},
		{"  ", nil},
	} {
		var got []string
		for _, s := range models.FindStores(stores, tt.typed) {
			got = append(got, s.Code)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("FindStores(%q) = %q, want %q", tt.typed, got, tt.want)
		}
	}
}

// TestStoresAreOrderedAsPeopleCount orders codes by the numbers in them.
func TestStoresAreOrderedAsPeopleCount(t *testing.T) {
	t.Parallel()
	want := []string{"2", "10", "CDMX-2", "cdmx-2", "CDMX-10", "CDMX-10-1", "GDL", "GDL-1"}
	stores := make([]models.Store, len(want))
	for i, code := range want {
		stores[len(want)-1-i].Code = code
	}
	slices.SortFunc(stores, models.ByCode)
	for i := range want {
		if stores[i].Code != want[i] {
			t.Fatalf("sorted %+v, want the order %q", stores, want)
		}
	}
}
