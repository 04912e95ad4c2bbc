package api

import "strings"

// hasCard reports whether a text holds what looks like a whole card number: 13
// to 19 digits, perhaps in groups, that begin as a brand's do, are as many as it
// has, and pass its check digit. Order numbers of terminals are longer, serial
// numbers shorter. Nobody may send one; it is refused and told to nobody.
func hasCard(s string) bool {
	digits := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			digits++
		}
	}
	if digits < 13 {
		return false
	}
	for i := 0; i < len(s); {
		if s[i] < '0' || s[i] > '9' {
			i++
			continue
		}
		run, next := digitsFrom(s, i)
		if isCard(run) {
			return true
		}
		i = next
	}
	return false
}

// digitsFrom takes digits with at most one space or hyphen between two.
func digitsFrom(s string, at int) (digits string, next int) {
	var b strings.Builder
	for i := at; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case (c == ' ' || c == '-') && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
		default:
			return b.String(), i + 1
		}
	}
	return b.String(), len(s)
}

func isCard(d string) bool {
	if len(d) < 13 || len(d) > 19 {
		return false
	}
	branded := false
	switch prefix := d[:2]; {
	case d[0] == '4':
		branded = len(d) == 13 || len(d) == 16 || len(d) == 19
	case prefix >= "51" && prefix <= "55", d[:4] >= "2221" && d[:4] <= "2720", prefix == "35":
		branded = len(d) == 16
	case prefix == "34", prefix == "37":
		branded = len(d) == 15
	case prefix == "30", prefix == "36", prefix == "38":
		branded = len(d) == 14 || len(d) == 16
	case prefix == "50", d[0] == '6':
		branded = len(d) >= 15
	}
	return branded && luhn(d)
}

// luhn is the check digit of card numbers.
func luhn(d string) bool {
	sum := 0
	for i := range len(d) {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

// mostEchoed is how much of what was sent an answer repeats, in characters.
const mostEchoed = 40

// echoed is what an answer may repeat of what was sent: not much, and nothing
// that a card number could be part of.
func echoed(s string) string {
	if hasCard(s) {
		return ""
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if runes := []rune(s); len(runes) > mostEchoed {
		return string(runes[:mostEchoed]) + "…"
	}
	return s
}
