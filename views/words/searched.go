package words

import (
	"context"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
)

// Understood is what the text of a search of sales was read as; "" where it says so itself.
func Understood(ctx context.Context, query string) string {
	parts := sales.Read(query).Parts
	if len(parts) == 0 || len(parts) == 1 && plainly(&parts[0]) {
		return ""
	}
	var b strings.Builder
	for i := range parts {
		p := &parts[i]
		switch {
		case i == 0:
		case p.Text == "":
			b.WriteString(" ") // the digits behind a brand
		default:
			b.WriteString(" · ")
		}
		b.WriteString(partWords(ctx, p))
	}
	return b.String()
}

// plainly reports whether a text alone leaves no doubt of how it was read.
func plainly(p *sales.Part) bool {
	switch {
	case len(p.Times) > 0:
		return false
	case p.Amount != 0 && strings.Trim(p.Text, "0123456789") != "":
		exact, typed := ui.Money(p.Amount), "$"+strings.TrimRight(withoutCurrency.Replace(p.Text), ".")
		return strings.HasPrefix(exact, typed) || strings.HasPrefix(strings.ReplaceAll(exact, ",", ""), typed)
	}
	return true
}

var withoutCurrency = strings.NewReplacer(" ", "", "MXN", "", "$", "")

// partWords is a part of the search in as few words as there are.
func partWords(ctx context.Context, p *sales.Part) string {
	var all []string
	if p.Brand != "" {
		all = append(all, CardBrand(p.Brand))
	}
	if p.Last4 != "" && p.Name == "" {
		all = append(all, "·· "+p.Last4)
	}
	if p.Amount != 0 && (p.Name == "" || !plainly(p)) {
		all = append(all, amountWords(p))
	}
	for _, at := range p.Times {
		all = append(all, spanWords(at))
	}
	if p.Terminal != "" && p.Name == "" {
		all = append(all, terminalWords(ctx, p.Terminal))
	}
	if len(all) == 0 {
		return p.Text
	}
	if p.Brand != "" && p.Last4 != "" {
		return strings.Join(all, " ")
	}
	return orWords(ctx, all)
}

// amountWords is an amount as far as it was typed.
func amountWords(p *sales.Part) string {
	exact := ui.Money(p.Amount)
	switch p.Most - p.Amount {
	case 0:
		return exact
	case 9:
		return exact[:len(exact)-1] + "…"
	}
	return strings.TrimSuffix(exact, ".00")
}

// spanWords is a minute of the day, or the first and the last of several.
func spanWords(s sales.Span) string {
	clock := func(d time.Duration) string { return fmt.Sprintf("%d:%02d", int(d.Hours()), int(d.Minutes())%60) }
	from, one := s.Minute()
	if one {
		return clock(from)
	}
	return clock(from) + "–" + clock(s.To-time.Minute)
}

func terminalWords(ctx context.Context, serial string) string {
	if _, err := models.ParseSerialNumber(serial); err != nil {
		serial = "…" + serial
	}
	return locale.T(ctx, "terminal.serialShort") + " " + serial
}

// orWords joins alternatives: a, b o c.
func orWords(ctx context.Context, all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " " + locale.T(ctx, "sales.or") + " " + all[last]
}

// SearchedFor says as what the text was searched, all of it.
func SearchedFor(ctx context.Context, query string) string {
	if says := Understood(ctx, query); says != "" {
		return locale.T(ctx, "sales.understood", "What", says)
	}
	parts := sales.Read(query).Parts
	if len(parts) != 1 {
		return locale.T(ctx, "sales.understood", "What", query)
	}
	p := &parts[0]
	var as []string
	say := func(is bool, key string, args ...any) {
		if is {
			as = append(as, locale.T(ctx, key, args...))
		}
	}
	say(p.Order != "", "sales.as.order")
	say(p.Amount != 0, "sales.as.amount")
	say(p.Brand != "", "sales.as.brand", "Brand", CardBrand(p.Brand))
	say(p.Last4 != "", "sales.as.last4")
	say(p.Terminal != "", "sales.as.terminal")
	say(p.Name != "", "sales.as.folio")
	say(p.Name != "", "sales.as.auth")
	say(p.Name != "", "sales.as.reference")
	if len(as) == 0 {
		return locale.T(ctx, "sales.understood", "What", query)
	}
	return locale.T(ctx, "sales.searchedAs", "As", orWords(ctx, as))
}
