package terminals_test

import (
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/addresses"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

// problems formats the problems as kind and serial number.
func problems(tb testing.TB, o *modelstest.Office, f terminals.HealthFilter) []string {
	tb.Helper()
	page, err := o.Terminals.Health(tb.Context(), o.Admin, f)
	if err != nil {
		tb.Fatalf("Health(%+v) = %v", f, err)
	}
	var all []string
	for _, p := range page.Problems {
		all = append(all, fmt.Sprintf("%s %s %s", p.Kind, p.SerialNumber, p.Detail))
	}
	return all
}

func TestWhatIsWrongWithTheMap(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	week := 7 * 24 * time.Hour
	tests := []struct {
		fact string
		do   func(t *testing.T, o *modelstest.Office)
		want func(serial string) []string
	}{
		{"it is new", func(*testing.T, *modelstest.Office) {}, nothing},
		{"it has stood there for a week, less a second, and posted nothing", func(t *testing.T, o *modelstest.Office) {
			modelstest.Exec(t, o.Owner, `UPDATE assignments SET valid_from = $1 WHERE terminal_id = $2`, o.Clock.Now(), o.Terminal.ID)
			o.Clock.Advance(week - time.Second)
		}, nothing},
		{"it has stood there for a week and posted nothing", func(_ *testing.T, o *modelstest.Office) {
			o.Clock.Advance(week + time.Second)
		}, one("neverSeen", "")},
		{"it stands in another store since today, and posted nothing", func(t *testing.T, o *modelstest.Office) {
			o.Clock.Advance(week)
			move := terminals.MoveInput{StoreID: modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA").ID, MerchantID: "M1"}
			if err := o.Terminals.MoveTerminal(t.Context(), o.Admin, o.Terminal.ID, 1, move); err != nil {
				t.Fatalf("MoveTerminal() = %v", err)
			}
			o.Clock.Advance(time.Hour)
		}, nothing},
		{"it is in no store, and posted nothing", func(t *testing.T, o *modelstest.Office) {
			modelstest.Exec(t, o.Owner, `DELETE FROM assignments WHERE terminal_id = $1`, o.Terminal.ID)
			o.Clock.Advance(week + time.Second)
		}, one("noStore", "")},
		{"a till told its sale an hour ago", tells(time.Hour), nothing},
		{"a till told its sale longer ago", tells(time.Hour + time.Second), one("neverSeen", "")},
		{"a till told its sale, and it posts now", func(t *testing.T, o *modelstest.Office) {
			tells(2*time.Hour)(t, o)
			sells(t, o)
		}, nothing},
		{"a till told a sale from before it was registered", func(t *testing.T, o *modelstest.Office) {
			tells(2*time.Hour)(t, o)
			modelstest.Exec(t, o.Owner, `UPDATE terminals SET created_at = $1 WHERE id = $2`, o.Clock.Now().Add(-time.Hour), o.Terminal.ID)
		}, nothing},
		{"it sold something", sells, nothing},
		{"it sold nothing for a week, less a second", func(t *testing.T, o *modelstest.Office) {
			sells(t, o)
			o.Clock.Advance(week - time.Second)
		}, nothing},
		{"it sold nothing for a week", func(t *testing.T, o *modelstest.Office) {
			sells(t, o)
			o.Clock.Advance(week + time.Second)
		}, one("noSales", "")},
		{"it posts refusals only, for a week", func(t *testing.T, o *modelstest.Office) {
			p := o.SalePost(o.Terminal.SerialNumber, 100)
			p.ResponseCode = "51"
			o.Post(p)
			o.Clock.Advance(week + time.Second)
		}, one("noSales", "")},
		{"it is out of use", func(t *testing.T, o *modelstest.Office) {
			if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, o.Terminal.ID, 1); err != nil {
				t.Fatalf("RetireTerminal() = %v", err)
			}
		}, nothing},
		{"it stands nowhere", func(t *testing.T, o *modelstest.Office) {
			sells(t, o)
			o.Clock.Advance(time.Minute)
			modelstest.Exec(t, o.Owner, `UPDATE assignments SET valid_to = $1 WHERE terminal_id = $2`, o.Clock.Now(), o.Terminal.ID)
		}, one("noStore", "")},
		{"it is still to come", func(t *testing.T, o *modelstest.Office) {
			modelstest.Exec(t, o.Owner, `UPDATE assignments SET valid_from = $1, planned_at = $2 WHERE terminal_id = $3`,
				o.Clock.Now().Add(time.Hour), o.Clock.Now(), o.Terminal.ID)
			o.Clock.Advance(time.Minute)
		}, nothing},
		{"the service does not find it", func(t *testing.T, o *modelstest.Office) {
			o.API.Then(modelstest.NoTerminal)
			o.Dispatch(o.Request(o.Sale(100)).ID)
		}, one("notFound", "")},
		{"the service has found it again", func(t *testing.T, o *modelstest.Office) {
			o.API.Then(modelstest.NoTerminal)
			o.Dispatch(o.Request(o.Sale(100)).ID)
			o.Dispatch(o.Request(o.Sale(200)).ID)
		}, nothing},
		{"its orders carry another serial number", func(t *testing.T, o *modelstest.Office) {
			p := o.SalePost(o.Terminal.SerialNumber, 100)
			p.OrderID = "261120115900-9999999999"
			o.Post(p)
		}, one("otherSerial", "9999999999")},
		{"its orders carry its own", func(t *testing.T, o *modelstest.Office) {
			p := o.SalePost(o.Terminal.SerialNumber, 100)
			p.OrderID = "261120115900-" + string(o.Terminal.SerialNumber) + "-7"
			o.Post(p)
		}, nothing},
		{"its orders carry what is no serial number", func(t *testing.T, o *modelstest.Office) {
			p := o.SalePost(o.Terminal.SerialNumber, 100)
			p.OrderID = "261120115900-ABC"
			o.Post(p)
		}, nothing},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			tt.do(t, o)
			serial := string(o.Terminal.SerialNumber)
			var got []string
			for _, kind := range terminals.Problems {
				for _, p := range problems(t, o, terminals.HealthFilter{Kind: kind}) {
					if p == fmt.Sprintf("%s %s %s", kind, serial, detailOf(p)) {
						got = append(got, p)
					}
				}
			}
			modelstest.Equal(t, "problems", got, tt.want(serial))
		})
	}
}

// detailOf is the last word of a problem's line.
func detailOf(line string) string {
	for i := len(line) - 1; i >= 0; i-- {
		if line[i] == ' ' {
			return line[i+1:]
		}
	}
	return line
}

// tells has a till tell a sale that is so old now.
func tells(ago time.Duration) func(*testing.T, *modelstest.Office) {
	return func(t *testing.T, o *modelstest.Office) {
		in := modelstest.GivenSale(o, fmt.Sprintf("TILL-%d", o.Terminal.ID))
		o.Clock.Advance(time.Minute)
		in.SoldAt = o.Clock.Now().Format(time.RFC3339)
		if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, in); modelstest.Said(got[0]) != "created" {
			t.Fatalf("the till's sale is %+v", got)
		}
		o.Clock.Advance(ago)
	}
}

func sells(t *testing.T, o *modelstest.Office) { t.Helper(); o.Sale(100) }

func one(kind, detail string) func(string) []string {
	return func(serial string) []string { return []string{fmt.Sprintf("%s %s %s", kind, serial, detail)} }
}

func nothing(string) []string { return nil }

// TestNoTerminalHasToPost: where an acknowledgement means canceled a merchant may have
// no results posted. As soon as one terminal posts, the others are expected to.
func TestNoTerminalHasToPost(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Waits.AckMeansCanceled = true })
	other := o.NewTerminal(o.Store)
	tells(2*time.Hour)(t, o)
	modelstest.Equal(t, "problems when none posts", problems(t, o, terminals.HealthFilter{}), []string(nil))
	o.SaleAt(other, 100)
	modelstest.Equal(t, "problems when one posts", problems(t, o, terminals.HealthFilter{}),
		[]string{fmt.Sprintf("neverSeen %s ", o.Terminal.SerialNumber)})

	// Elsewhere an installation where nothing arrives needs a hand.
	o = modelstest.NewOffice(t)
	o.Clock.Advance(8 * 24 * time.Hour)
	modelstest.Equal(t, "problems where results count", problems(t, o, terminals.HealthFilter{}),
		[]string{fmt.Sprintf("neverSeen %s ", o.Terminal.SerialNumber)})
}

func TestTwoTerminalsWithOneMerchantID(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	twin, third := o.NewTerminal(o.Store), o.NewTerminal(o.Store)
	for _, terminal := range []*models.Terminal{o.Terminal, twin, third} {
		o.SaleAt(terminal, 100)
	}
	o.Clock.Advance(time.Minute)
	move := terminals.MoveInput{StoreID: o.Store.ID, MerchantID: "M" + string(o.Terminal.SerialNumber)}
	if err := o.Terminals.MoveTerminal(t.Context(), o.Admin, twin.ID, 1, move); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	o.Clock.Advance(time.Second)
	page, err := o.Terminals.Health(t.Context(), o.Admin, terminals.HealthFilter{})
	if err != nil || len(page.Problems) != 2 ||
		page.Problems[0].OtherID != page.Problems[1].TerminalID ||
		page.Problems[1].OtherID != page.Problems[0].TerminalID {
		t.Fatalf("Health() = %+v, %v, want the two, each with the other", page, err)
	}
	if page.Counts[terminals.ProblemSharedMerchant] != 2 || page.Total() != 2 {
		t.Errorf("counts are %v, want 2 in all", page.Counts)
	}
	list, err := o.Terminals.Terminals(t.Context(), o.Admin, terminals.Filter{Problem: terminals.ProblemSharedMerchant})
	if err != nil || list.Count != 2 {
		t.Errorf("Terminals(sharedMerchant) = %+v, %v, want the two", list, err)
	}
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, twin.ID, 2); err != nil {
		t.Fatalf("RetireTerminal() = %v", err)
	}
	modelstest.Equal(t, "problems once one is out of use", problems(t, o, terminals.HealthFilter{}), []string(nil))
}

// TestWhoPostsAndIsNotRegistered: until the terminal is registered, or the post
// reviewed.
func TestWhoPostsAndIsNotRegistered(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(100)
	for _, serial := range []string{"1111111111", "1111111111", "0222222222", "12345", "", "12345678901", "ñ\\%_'"} {
		o.Post(o.SalePost(models.SerialNumber(serial), 100))
	}
	unreadable := o.SalePost("", 100)
	unreadable.Kind = models.ResultUnreadable
	o.Post(unreadable)
	got := map[string]int{}
	for _, p := range problems(t, o, terminals.HealthFilter{}) {
		got[p]++
	}
	want := map[string]int{
		"unknownSerial 1111111111 ": 1,
		"unknownSerial 0222222222 ": 1,
		"oddSerial 12345 ":          1,
		"oddSerial  ":               1,
		"oddSerial 12345678901 ":    1,
		"oddSerial ñ\\%_' ":         1,
	}
	modelstest.Equal(t, "strays", got, want)
	_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
		SerialNumber: "1111111111", Label: "Nueva", MerchantID: "M", StoreID: o.Store.ID,
	})
	if err != nil {
		t.Fatalf("CreateTerminal() = %v", err)
	}
	modelstest.Exec(t, o.Owner, `UPDATE results SET reviewed_at = now() WHERE serial_number = '0222222222'`)
	modelstest.Equal(t, "unknown serials", problems(t, o, terminals.HealthFilter{Kind: terminals.ProblemUnknownSerial}), []string(nil))
}

func TestHealthGoesOnAfterItsPage(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for range models.PageSize + 10 {
		o.NewTerminal(o.Store)
	}
	o.Clock.Advance(terminals.DefaultDays*24*time.Hour - time.Hour)
	o.Sale(100)
	o.Clock.Advance(2 * time.Hour)
	o.Post(o.SalePost("1111111111", 100))
	seen := map[string]bool{}
	f := terminals.HealthFilter{}
	for pages := 1; ; pages++ {
		page, err := o.Terminals.Health(t.Context(), o.Admin, f)
		if err != nil {
			t.Fatalf("Health(%+v) = %v", f, err)
		}
		for _, p := range page.Problems {
			seen[string(p.Kind)+p.SerialNumber] = true
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			if pages != 2 || len(seen) != models.PageSize+11 || page.Total() != models.PageSize+11 {
				t.Errorf("%d problems on %d pages, %d counted, want %d on 2", len(seen), pages, page.Total(), models.PageSize+11)
			}
			return
		}
	}
}

// TestWhoPostsWhereTheyShouldNot: at the shared address, or at one of an older master
// key, once terminals have addresses of their own.
func TestWhoPostsWhereTheyShouldNot(t *testing.T) {
	t.Parallel()
	keys, err := addresses.New("bmV3LW1hc3Rlci1rZXktb2YtdGhlLXRlc3RzLTAwMDE=")
	if err != nil {
		t.Fatal(err)
	}
	o := modelstest.NewOffice(t, func(c *wiring.Config) { c.Addresses = keys })
	post := func(terminal *models.Terminal, key string) {
		p := o.SalePost(terminal.SerialNumber, 100)
		if key != "" {
			p.AddressSerial, p.AddressKey, p.OwnAddress = p.SerialNumber, key, true
		}
		o.Post(p)
	}
	shared, older, own, back := o.Terminal, o.NewTerminal(o.Store), o.NewTerminal(o.Store), o.NewTerminal(o.Store)
	for range 3 {
		post(shared, "")
	}
	post(older, "00000000")
	post(own, "")
	post(own, keys.Newest())
	post(back, keys.Newest())
	post(back, "")
	modelstest.Equal(t, "problems", problems(t, o, terminals.HealthFilter{}), []string{
		fmt.Sprintf("sharedAddress %s 3", shared.SerialNumber), fmt.Sprintf("sharedAddress %s 1", back.SerialNumber),
		fmt.Sprintf("olderAddress %s ", older.SerialNumber),
	})
	list, err := o.Terminals.Terminals(t.Context(), o.Admin, terminals.Filter{Problem: terminals.ProblemSharedAddress})
	if err != nil || list.Count != 2 {
		t.Errorf("Terminals(sharedAddress) = %+v, %v, want the two", list, err)
	}
	if err := o.Terminals.RetireTerminal(t.Context(), o.Admin, shared.ID, 1); err != nil {
		t.Fatal(err)
	}
	counts, err := o.Terminals.CountAddresses(t.Context())
	want := []terminals.AddressCount{
		{Use: terminals.AddressShared, Terminals: 1, Posts: 1},
		{Use: terminals.AddressOlder, Terminals: 1},
		{Use: terminals.AddressNotYet},
		{Use: terminals.AddressOwn, Terminals: 1},
	}
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Equal(t, "counts of terminals in use", counts, want)
}
