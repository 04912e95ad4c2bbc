package models_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"veinte/models"
)

func TestParseMoney(t *testing.T) {
	t.Parallel()
	tests := []struct {
		s    string
		want models.Money
		ok   bool
	}{
		{"4500.5", 450050, true},
		{"1.0", 100, true},
		{"0.00", 0, true},
		{"0", 0, true},
		{"1250", 125000, true},
		{"1250.00", 125000, true},
		{"0.01", 1, true},
		{"007.10", 710, true},
		{"1.230000000", 123, true},
		{"92233720368547757.99", 9223372036854775799, true},
		{"92233720368547758.10", 0, false},
		{"", 0, false},
		{".", 0, false},
		{".5", 0, false},
		{"5.", 0, false},
		{"1.005", 0, false},
		{"1.001", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1,000", 0, false},
		{"1e3", 0, false},
		{" 1", 0, false},
		{"1 ", 0, false},
		{"1.2.3", 0, false},
		{"1..2", 0, false},
		{"$1", 0, false},
		{"NaN", 0, false},
		{"Inf", 0, false},
		{"0x10", 0, false},
		{"١٢", 0, false},
		{"１", 0, false},
		{"1\x00", 0, false},
		{"92233720368547759", 0, false},
		{strings.Repeat("9", 400), 0, false},
		{"1." + strings.Repeat("0", 400), 100, true},
	}
	for _, tt := range tests {
		got, err := models.ParseMoney(tt.s)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("ParseMoney(%.40q) = %d, %v, want %d, ok: %t", tt.s, got, err, tt.want, tt.ok)
		}
	}
}

func TestMoneyIsReadAsItIsPrinted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := models.Money(rapid.Int64Range(0, 9223372036854775799).Draw(t, "centavos"))
		printed := fmt.Sprintf("%d.%02d", want/100, want%100) + strings.Repeat("0", rapid.IntRange(0, 5).Draw(t, "zeros"))
		if got, err := models.ParseMoney(printed); got != want || err != nil {
			t.Fatalf("ParseMoney(%s) = %d, %v, want %d", printed, got, err, want)
		}
	})
}

func TestParseMoneyNeverGuesses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[0-9.,\-+ e]{0,12}`).Draw(t, "text")
		got, err := models.ParseMoney(s)
		if err != nil {
			return
		}
		whole, fraction, _ := strings.Cut(s, ".")
		fraction = (fraction + "00")[:max(2, len(fraction))]
		want := strings.TrimLeft(whole+fraction[:2], "0")
		if fmt.Sprint(int64(got)) != want && !(got == 0 && want == "") || strings.Trim(fraction[2:], "0") != "" {
			t.Fatalf("ParseMoney(%q) = %d", s, got)
		}
	})
}

func TestParsers(t *testing.T) {
	t.Parallel()
	parsers := map[string]func(string) (string, error){
		"ParseSerialNumber": func(s string) (string, error) { n, err := models.ParseSerialNumber(s); return string(n), err },
		"ParseStoreCode":    models.ParseStoreCode,
		"ParseMerchantID":   models.ParseMerchantID,
		"ParseTimeZone":     models.ParseTimeZone,
		"ParseEmail":        models.ParseEmail,
		"ParseRole":         func(s string) (string, error) { r, err := models.ParseRole(s); return string(r), err },
		"ParseDay":          func(s string) (string, error) { d, err := models.ParseDay(s); return string(d), err },
	}
	tests := []struct {
		parser  string
		accepts map[string]string
		refuses []string
	}{
		{
			"ParseSerialNumber",
			map[string]string{"2290000001": "2290000001", "0000000000": "0000000000"},
			[]string{"", "229000000", "22900000011", "229000000a", " 229000000", "229000000\n", "٢٢٩٠٠", "-229000000", "22900000\x0001"},
		},
		{
			"ParseStoreCode",
			map[string]string{"cdmx-01": "CDMX-01", " A ": "A", "7": "7"},
			[]string{"", "-A", "A B", "Ñ", strings.Repeat("A", 21), "A\x00", "<A>", "4111-1111-1111-1111"},
		},
		{
			"ParseMerchantID",
			map[string]string{
				" M.1_a-B ": "M.1_a-B", strings.Repeat("9", 250): strings.Repeat("9", 250), strings.Repeat("ñ", 250): strings.Repeat("ñ", 250),
				"a b": "a b", "a/b": "a/b", // nobody publishes its form
			},
			[]string{"", " ", strings.Repeat("9", 251), strings.Repeat("ñ", 251), "a\x00", "a\nb", "a\xff", "a\u200bb", "4111111111111111"},
		},
		{
			"ParseTimeZone",
			map[string]string{"America/Tijuana": "America/Tijuana", " UTC ": "UTC"},
			[]string{
				"", "Local", "CDMX", "../UTC", "/etc/localtime", "America/Mexico_City\x00",
				"localtime", "posixrules", "Factory", "right/America/Mexico_City", "posix/America/Cancun",
			},
		},
		{
			"ParseEmail",
			map[string]string{" Ana@Example.MX ": "ana@example.mx", "a@b": "a@b"},
			[]string{
				"", "a", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a\x00@b", "a@b\n.mx", strings.Repeat("a", 120) + "@b",
				"4111-1111-1111-1111@b.mx",
			},
		},
		{
			"ParseRole",
			map[string]string{"manager": "manager", "supervisor": "supervisor", "administrator": "administrator"},
			[]string{"", "Manager", "system", "terminal", "anonymous"},
		},
		{
			"ParseDay",
			map[string]string{"2026-11-20": "2026-11-20", "2028-02-29": "2028-02-29"},
			[]string{
				"", "2026-13-01", "2026-02-29", "20-11-2026", "2026-11-20T00:00", "0000-01-01", "0001-01-01", "1899-12-31", "10000-01-01",
				"-001-01-01",
			},
		},
	}
	for _, tt := range tests {
		for s, want := range tt.accepts {
			if got, err := parsers[tt.parser](s); got != want || err != nil {
				t.Errorf("%s(%q) = %q, %v, want %q", tt.parser, s, got, err, want)
			}
		}
		for _, s := range tt.refuses {
			if got, err := parsers[tt.parser](s); err == nil || got != "" {
				t.Errorf("%s(%q) = %q, %v, want a refusal", tt.parser, s, got, err)
			}
		}
	}
}

func TestAnAttemptKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	a, b := models.NewAttemptKey(), models.NewAttemptKey()
	if a.Reveal() == b.Reveal() || len(a.Reveal()) != 36 || a.Hash() != models.HashAttemptKey(a.Reveal()) {
		t.Errorf("keys %s, %s: want two of 36 characters, hashed as revealed", a.Reveal(), b.Reveal())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, v := range []any{a, &a, models.Order{Key: a}} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, a.Reveal()) || strings.Contains(got, a.Reveal()[24:]) {
				t.Errorf("Sprintf(%s, %T) = %s, want it hidden", verb, v, got)
			}
		}
	}
}
