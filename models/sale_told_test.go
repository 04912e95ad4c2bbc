package models_test

import (
	"testing"

	"veinte/models"
)

func TestSameFact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, a, b string
		want       bool
	}{
		{"cardBrand", "VISA", "Visa", true},
		{"cardBrand", "MasterCard", "MC", true},
		{"cardBrand", "Mastercard", "MASTER CARD", true},
		{"cardBrand", "American Express", "Amex", true},
		{"cardBrand", "AMERICAN-EXPRESS", "AX", true},
		{"cardBrand", "Carnet", "CARNET", true},
		{"cardBrand", "Visa débito", "VISA CREDITO", true},
		{"cardBrand", "Visa", "Mastercard", false},
		{"cardBrand", "Otra", "otra", true},
		{"cardBrand", "Otra", "otras", false},
		{"authCode", "a1b2", "A1B2", true},
		{"authCode", "000123", "123", true},
		{"folio", "000123", "1230", false},
		{"folio", "F000123", "F123", false},
		{"reference", "Café núm. 7", "CAFE NUM 7", true},
		{"reference", "ticket 7", "ticket 8", false},
		{"last4", "0042", "0042", true},
		{"last4", "0042", "0142", false},
		{"last4", "0042", "42", false},
	} {
		if got := models.SameFact(tt.fact, tt.a, tt.b); got != tt.want {
			t.Errorf("SameFact(%s, %q, %q) = %t, want %t", tt.fact, tt.a, tt.b, got, tt.want)
		}
	}
}
