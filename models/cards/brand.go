package cards

import "strconv"

// issued reports whether payment cards begin with these digits: 3 to 5, or as a brand
// does, which has all of 6 (ISO/IEC 7812-1, issuers' lists). Without this check, numbers
// that begin with a year or a serial number would be taken for cards.
func issued(digits []byte) bool { return digits[0] >= '3' && digits[0] <= '5' || branded(digits) }

// brand is a range of the first four digits, with the lengths of its numbers.
type brand struct{ from, to, shortest, longest int }

// brands are those whose cards terminals in Mexico take, by the brands' own pages.
// Numbers of Visa have 13 (none is issued any more), 16 or 19 digits.
var brands = []brand{
	{2221, 2720, 16, 16},                                             // Mastercard
	{2869, 2869, 16, 16},                                             // Carnet, whose others are in ranges of Maestro
	{3000, 3059, 14, 19}, {3095, 3095, 14, 19}, {3600, 3699, 14, 19}, // Diners Club
	{3800, 3999, 14, 19},                                             // Diners Club
	{3400, 3499, 15, 15}, {3700, 3799, 15, 15}, {3528, 3589, 16, 19}, // American Express, JCB
	{4000, 4999, 13, 13}, {4000, 4999, 16, 16}, {4000, 4999, 19, 19}, // Visa
	{5100, 5599, 16, 16},                       // Mastercard
	{5000, 5099, 13, 19}, {5600, 6999, 13, 19}, // Maestro, Carnet, Discover, UnionPay
	{8100, 8199, 16, 19}, // UnionPay
}

// branded reports whether a brand issues numbers of this beginning and length.
func branded(digits []byte) bool {
	first, err := strconv.Atoi(string(digits[:4]))
	for _, b := range brands {
		if err == nil && first >= b.from && first <= b.to && len(digits) >= b.shortest && len(digits) <= b.longest {
			return true
		}
	}
	return false
}
