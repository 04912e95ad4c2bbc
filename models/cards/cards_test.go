package cards_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"veinte/models/cards"
)

func TestDegrees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		holds, likely    bool
		mask, maskDigits string
	}{
		"4111111111111111":                   {true, true, "****1111", "****"},
		"4111-1111-1111-1111":                {true, true, "****1111", "****"},
		"x4111 1111 1111 1111.":              {true, true, "x****1111.", "x****."},
		"4111.1111.1111.1111":                {true, true, "••••.••••.••••.1111", "••••.••••.••••.1111"},
		"4111–1111–1111–1111":                {true, true, "••••–••••–••••–1111", "••••–••••–••••–1111"},
		"4111\u31641111\u31641111\u31641111": {true, true, "••••\u3164••••\u3164••••\u31641111", "••••\u3164••••\u3164••••\u31641111"},
		"4111\u28001111\u28001111\u28001111": {true, true, "••••\u2800••••\u2800••••\u28001111", "••••\u2800••••\u2800••••\u28001111"},
		"411111111111111 1":                  {false, true, "****1111", "****"}, // a group of one digit
		"1490000001000004":                   {false, true, "****0004", "****"}, // no issuer's prefix
		"4111111111111112":                   {false, false, "4111111111111112", "****"},
		"261120134500-1490000001":            {false, false, "261120134500-1490000001", "****001"},
		"1490000001":                         {false, false, "1490000001", "1490000001"},
		"":                                   {},
		"3111111111111111111":                {true, true, "****1111", "****"}, // of nineteen, and no brand's
		"51000000000008":                     {true, true, "****0008", "****"},
		"7000000000000000003":                {false, true, "****0003", "****"},
		"4222222222222":                      {true, true, "****2222", "****"},
		"42222222222222222222":               {false, false, "42222222222222222222", "****2"},
		"****1234":                           {false, false, "****1234", "****1234"},
		"378282246310005 y 411111111111":     {true, true, "****0005 y 411111111111", "**** y 411111111111"},
	} {
		if got := cards.Holds(text); got != want.holds {
			t.Errorf("Holds(%q) = %t, want %t", text, got, want.holds)
		}
		if got := cards.Likely(text); got != want.likely {
			t.Errorf("Likely(%q) = %t, want %t", text, got, want.likely)
		}
		if got := cards.Mask(text); got != want.mask {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want.mask)
		}
		if got := cards.MaskDigits(text); got != want.maskDigits {
			t.Errorf("MaskDigits(%q) = %q, want %q", text, got, want.maskDigits)
		}
	}
}

func TestLast4(t *testing.T) {
	t.Parallel()
	for card, want := range map[string]string{
		"4111 1111 1111 1234": "1234", "411111******1234": "1234", "12": "12", "": "", "x": "", "⑩12": "12", "¹²³⁴": "1234", "①٣": "13",
	} {
		if got := cards.Last4(card); got != want {
			t.Errorf("Last4(%q) = %q, want %q", card, got, want)
		}
	}
}

// TestEachDegreeFindsWhatTheOneBeforeFinds: what may not be typed is masked in a
// file, and what is masked in a file is masked in a post.
func TestEachDegreeFindsWhatTheOneBeforeFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		if cards.Holds(text) && !cards.Likely(text) {
			t.Errorf("Holds(%q), but not Likely", text)
		}
		if cards.Likely(text) && cards.Mask(text) == text {
			t.Errorf("Likely(%q), but Mask leaves it", text)
		}
		if cards.Likely(text) && cards.MaskDigits(text) == text {
			t.Errorf("Likely(%q), but MaskDigits leaves it", text)
		}
		for name, masked := range map[string]string{"Mask": cards.Mask(text), "MaskDigits": cards.MaskDigits(text), "Hide": cards.Hide(text)} {
			if cards.Holds(masked) {
				t.Errorf("%s(%q) = %q, which holds a card number", name, text, masked)
			}
		}
	})
}

// drawText generates digits in groups, among them card numbers.
func drawText(t *rapid.T) string {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"4111111111111111", "4111", "1111", "378282246310005", "5500-0000-0000-0004", "1490000001000004",
			"2223003122003222",
		}),
		rapid.StringMatching(`[0-9]{1,19}`), rapid.StringMatching(`[a-z]{0,3}`))
	gap := rapid.SampledFrom([]string{"", "", " ", "-", ".", "/", "  ", " - ", "\u2013", "\u00a0", "\u200b", "\u3164", "x"})
	var b strings.Builder
	for range rapid.IntRange(1, 8).Draw(t, "pieces") {
		b.WriteString(piece.Draw(t, "piece"))
		b.WriteString(gap.Draw(t, "gap"))
	}
	return b.String()
}
