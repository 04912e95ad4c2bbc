package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// AppendMoney writes an amount as $1,250.00. We do it ourselves because x/text
// prints Mexican money as "$ 1,250.00", and a list does it a hundred times.
func AppendMoney(b []byte, m models.Money) []byte {
	u := uint64(m)
	if m < 0 {
		b = append(b, "−"...)
		u = -u
	}
	b = append(b, '$')
	b = appendGrouped(b, u/100)
	return append(b, '.', byte('0'+u%100/10), byte('0'+u%10))
}

// appendGrouped writes a number with commas between thousands.
func appendGrouped(b []byte, u uint64) []byte {
	if u < 1000 {
		return strconv.AppendUint(b, u, 10)
	}
	b = appendGrouped(b, u/1000)
	r := u % 1000
	return append(b, ',', byte('0'+r/100), byte('0'+r/10%10), byte('0'+r%10))
}

func Money(m models.Money) string { return string(AppendMoney(nil, m)) }

// CountOf is a word with its number, in the plural that the number takes.
func CountOf[N int | int64](ctx context.Context, key string, n N, more ...any) string {
	return locale.T(ctx, key, append([]any{"Count", n, "N", Number(int64(n))}, more...)...)
}

func Number(n int64) string {
	if n < 0 {
		return strconv.FormatInt(n, 10)
	}
	return string(appendGrouped(nil, uint64(n)))
}

// AppendClock writes the 24-hour time, 19:41. The instant already is in its zone.
func AppendClock(b []byte, t time.Time) []byte {
	h, m, _ := t.Clock()
	return append(b, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10))
}

func Clock(t time.Time, zone *time.Location) string {
	return string(AppendClock(nil, t.In(zone)))
}

func ClockSeconds(t time.Time, zone *time.Location) string {
	return t.In(zone).Format(time.TimeOnly)
}

var Months = map[string][12]string{
	"es-MX": {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
	"en":    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

// Date writes 20 nov 2026.
func Date(ctx context.Context, t time.Time, zone *time.Location) string {
	y, m, d := t.In(zone).Date()
	return strconv.Itoa(d) + " " + Months[locale.Of(ctx)][m-1] + " " + strconv.Itoa(y)
}

// DayShort writes 20 nov, of a day whose year stands elsewhere.
func DayShort(ctx context.Context, d models.Day) string {
	day, _, _ := strings.Cut(Day(ctx, d), " "+string(d[:4]))
	return day
}

func DateTime(ctx context.Context, t time.Time, zone *time.Location) string {
	return Date(ctx, t, zone) + ", " + Clock(t, zone)
}

// DateSeconds writes an instant to the second: 20 nov 2026, 19:41:07.
func DateSeconds(ctx context.Context, t time.Time, zone *time.Location) string {
	return Date(ctx, t, zone) + ", " + ClockSeconds(t, zone)
}

// InFull is an instant to the second, with its zone: paper outlives the day.
func (p Page) InFull(ctx context.Context, t time.Time) string {
	return DateSeconds(ctx, t, p.Zone()) + " " + ZoneName(ctx, p.Zone().String())
}

// PrintedAt is the instant of a page in full.
func PrintedAt(ctx context.Context, p Page) string { return p.InFull(ctx, p.Now) }

// At is when something was, within a sentence: at 19:41, and on which day unless that is
// the one that the reader is on.
func At(ctx context.Context, p Page, t time.Time, on models.Day) string {
	if p.Window.Calendar.Day(t) == on {
		return locale.T(ctx, "time.at", "Time", Clock(t, p.Zone()))
	}
	return locale.T(ctx, "time.onAt", "Day", Date(ctx, t, p.Zone()), "Time", Clock(t, p.Zone()))
}

// SinceText writes since when something holds: the date alone where that is the
// whole day.
func SinceText(ctx context.Context, t time.Time, zone *time.Location) string {
	if h, m, s := t.In(zone).Clock(); h == 0 && m == 0 && s == 0 {
		return Date(ctx, t, zone)
	}
	return DateTime(ctx, t, zone)
}

// Day writes a calendar day; "" stays empty.
func Day(ctx context.Context, d models.Day) string {
	if d == "" {
		return ""
	}
	return Date(ctx, d.Time(time.UTC), time.UTC)
}

// Since is when something last happened, with the date unless it was today.
func Since(ctx context.Context, p Page, t *time.Time) string {
	if t == nil || t.IsZero() {
		return locale.T(ctx, "time.never")
	}
	if p.Window.Calendar.Day(*t) == p.Today() {
		return locale.T(ctx, "time.todayAt", "Time", Clock(*t, p.Zone()))
	}
	return DateTime(ctx, *t, p.Zone())
}

// SinceZoned is since with the name of the zone, on pages that people keep or pass
// on.
func SinceZoned(ctx context.Context, p Page, t *time.Time) string {
	if t == nil || t.IsZero() {
		return Since(ctx, p, t)
	}
	return Since(ctx, p, t) + ", " + ZoneName(ctx, p.Zone().String())
}

// Remaining writes what is left: 2 h 05 min, 9 min 05 s, 5 s. With a colon it would be
// read as a time of day.
func Remaining(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	switch {
	case s >= 3600:
		return strconv.Itoa(s/3600) + " h " + two(s/60%60) + " min"
	case s >= 60:
		return strconv.Itoa(s/60) + " min " + two(s%60) + " s"
	}
	return strconv.Itoa(s) + " s"
}

func Rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func Itoa(n int64) string { return strconv.FormatInt(n, 10) }

// BytesWord writes the size of a file.
func BytesWord(n int64) string {
	if n < 1<<20 {
		return Number((n+1023)>>10) + " KB"
	}
	return Number(n>>20) + " MB"
}

// Zones are offered for a store: those of Mexico, most people first.
var Zones = []string{
	"America/Mexico_City", "America/Cancun", "America/Merida", "America/Monterrey",
	"America/Chihuahua", "America/Mazatlan", "America/Hermosillo", "America/Bahia_Banderas",
	"America/Tijuana", "America/Ciudad_Juarez", "America/Ojinaga", "America/Matamoros",
}

// StoreOf is the store of an id; nil when there is none.
func StoreOf(stores []models.Store, id int64) *models.Store {
	if i := slices.IndexFunc(stores, func(s models.Store) bool { return s.ID == id }); i >= 0 {
		return &stores[i]
	}
	return nil
}

func StoreName(stores []models.Store, id int64) string {
	if s := StoreOf(stores, id); s != nil {
		return s.Name
	}
	return ""
}
