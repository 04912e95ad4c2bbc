package table

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// unseen reports spaces of every width, and invisible marks.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200B' || r == '\uFEFF' || r == '\u200E' || r == '\u200F'
}

// meantDigits are the digits that every spreadsheet shows and lets people type.
const meantDigits = 15

// meant writes the number of a workbook's cell as the number that was meant, before
// anything else looks at it: Excel stores 206.58 as 206.58000000000001, the same
// double, and =178.09*1.16 leaves 206.57999999999998. It is the shortest decimal of
// the double, or its first fifteen digits where arithmetic left more. A number of
// sixteen whole digits keeps them all, so that a card number is still noticed. A
// text that is no number is returned as it is.
func meant(stored string) string {
	f, err := parseNumber(stored)
	if err != nil || math.Abs(f) >= 1e21 {
		return stored
	}
	shortest := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, _, _ := strings.Cut(strings.TrimPrefix(shortest, "-"), "e")
	if len(mantissa)-1 > meantDigits && math.Abs(f) < 1e15 { // without its point
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'e', meantDigits-1, 64), 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// parseNumber reads a number as workbooks store it. ParseFloat alone also reads
// 0x1p4, NaN and the like.
func parseNumber(s string) (float64, error) {
	if strings.Trim(s, "0123456789.+-eE") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// Amount is an amount of money as a plain decimal, such as "1250.00". Commas or
// points may group it by thousands and either may be the decimal separator; where
// both readings are possible, as in 1,250, it is an error. A peso sign, MXN and M.N.
// around it are removed.
func (c Cell) Amount() (string, *Error) {
	if c.wrong != nil {
		return "", c.wrong
	}
	switch c.kind {
	case Number:
		return c.money()
	case Text:
		s := stripCurrency(unescape(tidy(c.raw)))
		if s == "" {
			return "", c.onlyEmpty(ErrNoAmount)
		}
		if lossy(s) {
			return "", ErrLostDigits.with(c.raw)
		}
		if exact, ok := expand(s); ok {
			s = exact
		}
		plain, wrong := plainDecimal(s)
		if wrong != nil {
			return "", wrong.with(c.raw)
		}
		return unprinted(plain), nil
	}
	return "", ErrNoAmount.with(c.raw)
}

// onlyEmpty is nil for an empty cell: the caller decides whether a value is
// required.
func (c Cell) onlyEmpty(e *Error) *Error {
	if c.Empty() {
		return nil
	}
	return e.with(c.raw)
}

// money writes the number of a workbook with two decimals. A real fraction of a
// centavo stays, and package models refuses it.
func (c Cell) money() (string, *Error) {
	s, wrong := c.number()
	if wrong != nil {
		return "", wrong
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) <= 2 {
		return whole + "." + (fraction + "00")[:2], nil
	}
	return roundCentavos(s), nil
}

// unprinted is the number that was meant by a text with more digits than a double
// has, as programs print one in full: 206.58000000000001. Others are returned as
// they are.
func unprinted(plain string) string {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(plain, "-"), ".")
	if len(strings.TrimLeft(whole+fraction, "0")) <= meantDigits || len(fraction) <= 2 {
		return plain
	}
	return roundCentavos(meant(plain))
}

// roundCentavos rounds away what arithmetic leaves beyond the centavos, a millionth
// of one at most.
func roundCentavos(s string) string {
	f, err := strconv.ParseFloat(s, 64)
	if cents := math.Round(f * 100); err == nil && math.Abs(f*100-cents) < 1e-4 {
		return strconv.FormatFloat(cents/100, 'f', 2, 64)
	}
	return s
}

func stripCurrency(s string) string {
	s = strings.TrimFunc(strings.TrimPrefix(s, "MXN"), unseen)
	s = strings.TrimFunc(strings.TrimPrefix(s, "$"), unseen)
	for _, end := range []string{"MXN", "M.N.", "MN", "$"} {
		if cut, ok := strings.CutSuffix(s, end); ok {
			return strings.TrimFunc(cut, unseen)
		}
	}
	return s
}

// plainDecimal decides which sign groups and which is the decimal separator.
func plainDecimal(s string) (string, *Error) {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if s == "" || strings.Trim(s, "0123456789.,") != "" {
		return "", ErrNoAmount
	}
	commas, points := strings.Count(s, ","), strings.Count(s, ".")
	switch {
	case commas == 0 && points == 0:
		return sign + s, nil
	case commas > 0 && points > 0:
		group, decimal := ',', '.'
		if strings.LastIndexByte(s, ',') > strings.LastIndexByte(s, '.') {
			group, decimal = '.', ','
		}
		return join(sign, s, group, decimal)
	case commas+points > 1: // a repeated sign can only group
		group := ','
		if points > 0 {
			group = '.'
		}
		if !grouped(s, byte(group)) {
			return "", ErrNoAmount
		}
		return sign + strings.ReplaceAll(s, string(group), ""), nil
	}
	at := strings.IndexAny(s, ".,")
	whole, fraction := s[:at], s[at+1:]
	switch {
	case whole == "" || fraction == "":
		return "", ErrNoAmount
	case len(fraction) == 3 && len(whole) <= 3 && whole[0] != '0':
		return "", ErrTwoAmounts
	}
	return sign + whole + "." + fraction, nil
}

// join reads a number with both signs: groups of three, then the decimals.
func join(sign, s string, group, decimal rune) (string, *Error) {
	whole, fraction, _ := strings.Cut(s, string(decimal))
	if fraction == "" || strings.Trim(fraction, "0123456789") != "" || !grouped(whole, byte(group)) {
		return "", ErrNoAmount
	}
	return sign + strings.ReplaceAll(whole, string(group), "") + "." + fraction, nil
}

// grouped reports digits in groups of three, with one to three in the first.
func grouped(s string, by byte) bool {
	groups := strings.Split(s, string(by))
	for i, g := range groups {
		if strings.Trim(g, "0123456789") != "" || i > 0 && len(g) != 3 || i == 0 && (g == "" || len(g) > 3) {
			return false
		}
	}
	return len(groups) > 1
}

// expand writes 1.490000001E+09 in full. It returns false for any other text, and
// for a number that has lost digits: with fewer decimals than the exponent needs, it
// was rounded before it was written.
func expand(s string) (string, bool) {
	mantissa, exponent, ok := scientific(s)
	if !ok {
		return "", false
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if len(fraction) < exponent {
		return "", false
	}
	if rest := fraction[exponent:]; rest != "" {
		return whole + fraction[:exponent] + "." + rest, true
	}
	return whole + fraction[:exponent], true
}

// lossy reports a number in scientific notation that has lost its last digits.
func lossy(s string) bool {
	if _, _, ok := scientific(s); !ok {
		return false
	}
	_, exact := expand(s)
	return !exact
}

// scientific splits 1.49E+09. It accepts only the form that spreadsheets write: one
// digit in front, a sign after the E.
func scientific(s string) (mantissa string, exponent int, ok bool) {
	at := strings.IndexAny(s, "Ee")
	if at < 1 || at+2 >= len(s) || s[at+1] != '+' || len(s)-at > 5 {
		return "", 0, false
	}
	exponent, err := strconv.Atoi(s[at+2:])
	mantissa = strings.Replace(s[:at], ",", ".", 1)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if err != nil || len(whole) != 1 || strings.Trim(whole+fraction, "0123456789") != "" {
		return "", 0, false
	}
	return mantissa, exponent, true
}
