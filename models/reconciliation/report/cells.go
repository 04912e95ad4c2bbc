package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/intake"
)

var (
	pointGroups = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d*)?$`)
	commaGroups = regexp.MustCompile(`^\d{1,3}(\.\d{3})+(,\d*)?$`)
	plainPoint  = regexp.MustCompile(`^\d+(\.\d*)?$`)
	plainComma  = regexp.MustCompile(`^\d+(,\d*)?$`)
)

// parseReportAmount reads an amount in the report's style and whether it is
// negative: -1,250.00, (1,250.00), 1,250.00-, $ -1,250.00 MXN. Groups of other
// than three digits and fractions of a centavo are refused, not rounded.
func parseReportAmount(s string, style AmountStyle) (amount models.Money, negative, ok bool) {
	s = strings.NewReplacer("MXN", "", "mxn", "", "$", "", " ", "", "\u00a0", "", "\u202f", "", "−", "-").Replace(s)
	if inner, found := strings.CutPrefix(s, "("); found && strings.HasSuffix(inner, ")") {
		s, negative = inner[:len(inner)-1], true
	}
	for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
		if rest, found := cut(s, "-"); found && !negative {
			s, negative = rest, true
		}
	}
	s = strings.TrimPrefix(s, "+")
	switch style {
	case AmountsCentavos:
		n, err := strconv.ParseUint(s, 10, 63)
		return models.Money(n), negative, err == nil && n <= math.MaxInt64 && models.Money(n) <= intake.MaxMoney
	case AmountsComma:
		if !commaGroups.MatchString(s) && !plainComma.MatchString(s) {
			return 0, false, false
		}
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	default:
		if !pointGroups.MatchString(s) && !plainPoint.MatchString(s) {
			return 0, false, false
		}
		s = strings.ReplaceAll(s, ",", "")
	}
	m, err := models.ParseMoney(strings.TrimSuffix(s, "."))
	return m, negative, err == nil && m <= intake.MaxMoney
}

var (
	yearFirst = regexp.MustCompile(`^(\d{4})([-/.]?)(\d{1,2})([-/.]?)(\d{1,2})`)
	yearLast  = regexp.MustCompile(`^(\d{1,2})[-/. ](\d{1,2}|[\p{L}]{3,10}\.?)[-/., ]+(\d{4}|\d{2})`)
	hourOfDay = regexp.MustCompile(`^[T ,]*(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)? ?([aApP]\.? ?[mM]\.?)? ?(Z|[+-]\d{2}:?\d{2})?$`)
)

var monthNames = map[string]int{
	"ene": 1, "jan": 1, "feb": 2, "mar": 3, "abr": 4, "apr": 4, "may": 5, "jun": 6, "jul": 7,
	"ago": 8, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dic": 12, "dec": 12,
}

// parseReportTime reads a date, with or without a time of day. A time without a zone
// is in the given zone; a date alone has no time: clock is false.
func parseReportTime(s string, style DateStyle, zone *time.Location) (at time.Time, clock, ok bool) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\u00a0", " "))
	y, m, d, rest, ok := dateOf(s, style)
	if !ok {
		return at, false, false
	}
	at = time.Date(y, time.Month(m), d, 0, 0, 0, 0, zone)
	if at.Year() != y || int(at.Month()) != m || at.Day() != d || y < 2000 || y > 2100 {
		return at, false, false
	}
	if strings.TrimSpace(rest) == "" {
		return at, false, true
	}
	t := hourOfDay.FindStringSubmatch(strings.TrimRight(rest, " "))
	if t == nil {
		return at, false, false
	}
	hour, minute, second := atoi(t[1]), atoi(t[2]), atoi(t[3])
	if t[4] != "" {
		if hour < 1 || hour > 12 {
			return at, false, false
		}
		hour %= 12
		if t[4][0] == 'p' || t[4][0] == 'P' {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 || second > 59 {
		return at, false, false
	}
	if t[5] != "" {
		zone = offsetOf(t[5])
	}
	return time.Date(y, time.Month(m), d, hour, minute, second, 0, zone), true, true
}

// dateOf splits the date off the beginning of a text.
func dateOf(s string, style DateStyle) (y, m, d int, rest string, ok bool) {
	if p := yearFirst.FindStringSubmatch(s); p != nil && p[2] == p[4] {
		if p[2] == "" && len(p[0]) != 8 {
			return 0, 0, 0, "", false
		}
		return atoi(p[1]), atoi(p[3]), atoi(p[5]), s[len(p[0]):], true
	}
	p := yearLast.FindStringSubmatch(s)
	if p == nil || style == DatesISO {
		return 0, 0, 0, "", false
	}
	first, second, year := p[1], p[2], atoi(p[3])
	if len(p[3]) == 2 {
		year += 2000
	}
	rest = s[len(p[0]):]
	if month := monthNames[fold(second)[:min(3, len(fold(second)))]]; month != 0 {
		return year, month, atoi(first), rest, true
	}
	if style == DatesMonthDayYear {
		return year, atoi(first), atoi(second), rest, true
	}
	return year, atoi(second), atoi(first), rest, true
}

func offsetOf(s string) *time.Location {
	if s == "Z" {
		return time.UTC
	}
	seconds := atoi(s[1:3])*3600 + atoi(s[len(s)-2:])*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds)
}

// atoi converts digits that a regular expression matched; an empty text is 0.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
