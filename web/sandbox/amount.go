package sandbox

import (
	"fmt"
	"strconv"
	"strings"
)

// cents is an amount of Mexican money, exact.
type cents int64

// parseAmount reads "1250", "1250.5" or "1250.00".
func parseAmount(text string) (cents, error) {
	whole, fraction, dotted := strings.Cut(text, ".")
	if !digits(whole) || len(whole) > 9 || dotted && (!digits(fraction) || len(fraction) > 2) {
		return 0, fmt.Errorf("amount %q is not a decimal with at most two places", text)
	}
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	return cents(n), err
}

// String writes the amount with two places: "1250.00".
func (c cents) String() string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

// odd writes the amount as terminals do: without trailing zeros, but with at least
// one decimal ("4500.5", "1.0").
func (c cents) odd() string { return strings.TrimSuffix(c.String(), "0") }

// digits reports whether text is one or more ASCII digits.
func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// tenDigits reports whether text can be a terminal's serial number.
func tenDigits(text string) bool { return len(text) == 10 && digits(text) }
