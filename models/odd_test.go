package models_test

import (
	"strings"
	"testing"

	"veinte/models"
)

func TestOddIdentifiers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"260310120000-1234567890": false, "7501055300075": false, "CDMX_01/2026.03.10#17": false, "x": false, strings.Repeat("9", 60): false,
		"": false, strings.Repeat("9", 61): true, "A B": false, "niño": true, "1,2": true, "1\u00a02": true, "=1": true, "'1": true,
	} {
		if got := models.OddIdentifier(text); got != want {
			t.Errorf("OddIdentifier(%q) = %t, want %t", text, got, want)
		}
	}
}
