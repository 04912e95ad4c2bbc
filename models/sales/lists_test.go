package sales_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
	"veinte/models/sales"
	"veinte/models/terminals"
)

func TestADayIsReadPageByPage(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	const list = 120
	for i := range list {
		if i%7 != 0 { // some at one instant
			o.Clock.Advance(time.Second)
		}
		if err := o.Results.Receive(t.Context(), o.SalePost(o.Terminal.SerialNumber, models.Money(100+i))); err != nil {
			t.Fatalf("Receive() = %v", err)
		}
	}
	seen := map[int64]bool{}
	f := sales.Filter{Day: modelstest.SalesToday}
	var last *sales.Row
	for pages := 1; ; pages++ {
		page, err := o.Sales.DaySales(t.Context(), o.Manager, f)
		if err != nil {
			t.Fatalf("DaySales() = %v", err)
		}
		for i := range page.Sales {
			s := &page.Sales[i]
			if seen[s.ID] || last != nil && (s.SoldAt.After(last.SoldAt) || s.SoldAt.Equal(last.SoldAt) && s.ID > last.ID) {
				t.Errorf("page %d: sale %d of %s comes twice or after a newer one", pages, s.ID, s.SoldAt)
			}
			seen[s.ID], last = true, s
		}
		if page.Filtered.Sales.Count != list || page.Filtered.Sales.Amount != list*100+list*(list-1)/2 {
			t.Errorf("page %d: sums %+v, want those of all %d", pages, page.Filtered, list)
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			if want := 3; pages != want {
				t.Errorf("pages = %d, want %d", pages, want)
			}
			break
		}
		if err := o.Results.Receive(t.Context(), o.SalePost(o.NewTerminal(modelstest.Store(t, o.DB, o.Clock.Now(),
			fmt.Sprintf("NEW-%d", pages))).SerialNumber, 1)); err != nil {
			t.Fatalf("Receive() = %v", err) // a sale elsewhere changes nothing here
		}
	}
	if len(seen) != list {
		t.Errorf("sales seen = %d, want %d", len(seen), list)
	}
}

func TestADayIsSearchedAndFiltered(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	post := func(order string, amount models.Money, last4 string) {
		t.Helper()
		p := o.SalePost(o.Terminal.SerialNumber, amount)
		p.OrderID, p.Last4, p.Folio = order, last4, "F-"+order
		o.Post(p)
	}
	post("A100", 125000, "1111")
	post("A200", 123450, "2222")
	post("B%_1", 1111, "3333")
	post("MANY", 999, "4444")
	o.CancelByHand(o.FindSale("MANY"))
	c := o.Request(o.FindSale("A200"))
	o.Dispatch(c.ID)
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:30:00-06:00"))
	post("LATE", 5, "5555")
	o.Clock.Set(modelstest.At(t, "2026-11-20T19:00:00-06:00"))
	second := o.NewTerminal(o.Store)
	o.SaleAt(second, 77)

	tests := []struct {
		fact string
		f    sales.Filter
		want string
	}{
		{"by the beginning of the order", sales.Filter{Query: "A"}, "A200 A100"},
		{"by an order", sales.Filter{Query: " A100 "}, "A100"},
		{"by a folio", sales.Filter{Query: "F-A100"}, "A100"},
		{"by the last four digits", sales.Filter{Query: "2222"}, "A200"},
		{"by an amount", sales.Filter{Query: "$1,250.00"}, "A100"},
		{"by an amount without centavos", sales.Filter{Query: "1250"}, "A100"},
		{"by an amount with one decimal", sales.Filter{Query: "1234.5"}, "A200"},
		{"a percent sign is a character", sales.Filter{Query: "B%"}, "B%_1"},
		{"a percent sign finds no other", sales.Filter{Query: "%"}, ""},
		{"an underscore finds no other", sales.Filter{Query: "_100"}, ""},
		{"a backslash finds nothing", sales.Filter{Query: `\`}, ""},
		{"a quote finds nothing", sales.Filter{Query: `' OR ''='`}, ""},
		{"a question mark finds nothing", sales.Filter{Query: `?`}, ""},
		{"an endless text finds nothing", sales.Filter{Query: strings.Repeat("9", 5000)}, ""},
		{"a NUL finds nothing", sales.Filter{Query: "A\x00"}, ""},
		{"invalid UTF-8 finds nothing", sales.Filter{Query: "A\xff"}, ""},
		{"accepted", sales.Filter{State: models.SaleAccepted}, "A200"},
		{"canceled", sales.Filter{State: models.SaleConfirmed}, "MANY"},
		{"still cancelable", sales.Filter{State: models.SaleCancelable, TerminalID: o.Terminal.ID}, "B%_1 A100"},
		{"too late", sales.Filter{State: models.SaleTooLate}, "LATE"},
		{"a state that is none", sales.Filter{State: "x"}, ""},
		{"nothing expires soon in an hour", sales.Filter{State: models.SaleSoon}, ""},
		{"of a terminal", sales.Filter{TerminalID: second.ID, Query: "0.77"}, "261120190000"},
		{"of another day", sales.Filter{Day: "2026-11-19", Query: "A"}, ""},
	}
	for _, tt := range tests {
		if tt.f.Day == "" {
			tt.f.Day = modelstest.SalesToday
		}
		page, err := o.Sales.DaySales(t.Context(), o.Manager, tt.f)
		if err != nil {
			t.Errorf("%s: DaySales(%+v) = %v", tt.fact, tt.f, err)
			continue
		}
		var got []string
		var sum models.Money
		for _, s := range page.Sales {
			order, _, _ := strings.Cut(s.OrderID, "-")
			got, sum = append(got, order), sum+s.Amount
		}
		if strings.Join(got, " ") != tt.want || page.Filtered.Sales.Count != int64(len(got)) || page.Filtered.Sales.Amount != sum {
			t.Errorf("%s: found %q, sums %+v, want %q and its sums", tt.fact, got, page.Filtered, tt.want)
		}
	}
	for _, cursor := range []string{"x", "MS4x.", strings.Repeat("A", 4000)} {
		if _, err := o.Sales.DaySales(t.Context(), o.Manager,
			sales.Filter{Day: modelstest.SalesToday, Cursor: cursor}); !modelstest.IsError(err, models.Invalid("cursor", "cursor.invalid")) {
			t.Errorf("DaySales(cursor %.20q) = %v, want cursor.invalid", cursor, err)
		}
	}
}

func TestTheRevisionCountsEveryChange(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	revision := func() int64 {
		t.Helper()
		n, err := o.Sales.DayRevision(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday})
		if err != nil {
			t.Fatalf("DayRevision() = %v", err)
		}
		return n
	}
	before := revision()
	for fact, change := range map[string]func(){
		"a sale":   func() { o.Sale(100) },
		"a case":   func() { o.Request(o.Sale(200)) },
		"a result": func() { o.CancelByHand(o.Sale(300)) },
	} {
		change()
		now := revision()
		if now <= before {
			t.Errorf("revision after %s = %d, want more than %d", fact, now, before)
		}
		before = now
	}
	o.Branch(t).Sale(100)
	if got := revision(); got != before {
		t.Errorf("revision after a sale elsewhere = %d, want %d", got, before)
	}
}

func TestTheTrailIsFilteredAndReadPageByPage(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for minute := range 60 { // of more within a minute there is one entry, and a count
		o.Clock.Set(modelstest.At(t, "2026-11-19T23:00:59-06:00").Add(time.Duration(minute) * time.Minute))
		if err := o.Audit.Refused(t.Context(), o.Manager, "/users"); err != nil {
			t.Fatalf("Refused() = %v", err)
		}
	}
	o.Clock.Set(modelstest.At(t, "2026-11-20T00:00:00-06:00"))
	sale := o.Sale(5000)
	c := o.Request(sale)
	tests := []struct {
		fact string
		f    audit.Filter
		want int
	}{
		{"a day of Mexico City", audit.Filter{From: "2026-11-19", To: "2026-11-19", Action: models.ActionRefused}, 60},
		{"the next day", audit.Filter{From: "2026-11-20", To: "2026-11-20", Action: models.ActionRefused}, 0},
		{"a person", audit.Filter{ActorID: o.Manager.UserID, Action: models.ActionCancellationRequested}, 1},
		{"an outcome", audit.Filter{Outcome: models.OutcomeDenied}, 60},
		{"a sale", audit.Filter{SaleID: sale.ID}, 1},
		{"an order", audit.Filter{Query: sale.OrderID}, 1},
		{"a terminal", audit.Filter{Query: string(sale.SerialNumber), Action: models.ActionCancellationRequested}, 1},
		{"a store", audit.Filter{StoreID: o.Store.ID, Action: models.ActionCancellationRequested}, 1},
		{"text that is not there", audit.Filter{Query: "%"}, 0},
		{"a NUL", audit.Filter{Query: "\x00"}, 0},
		{"the first day there is", audit.Filter{To: "0001-01-01"}, 0},
		{"the last", audit.Filter{From: "9999-12-31", To: "9999-12-31"}, 0},
	}
	for _, tt := range tests {
		got := 0
		for more := true; more; more = tt.f.Cursor != "" {
			page, err := o.Audit.Audit(t.Context(), o.Supervisor, tt.f)
			if err != nil {
				t.Errorf("%s: Audit(%+v) = %v", tt.fact, tt.f, err)
				break
			}
			got += len(page.Entries)
			tt.f.Cursor = page.Next
		}
		if got != tt.want {
			t.Errorf("%s: entries = %d, want %d", tt.fact, got, tt.want)
		}
	}
	if _, err := o.Audit.Audit(t.Context(), o.Supervisor, audit.Filter{From: "2026-11-20", To: "2026-11-19"}); !modelstest.IsError(err,
		models.Invalid("to", "auditFilter.toBeforeFrom")) {
		t.Errorf("Audit() of a period that ends before it begins = %v, want toBeforeFrom", err)
	}
	page, err := o.Audit.Audit(t.Context(), o.Admin, audit.Filter{Action: models.ActionAuditRead, ActorID: o.Supervisor.UserID})
	if err != nil || len(page.Entries) < len(tests)-1 {
		t.Errorf("entries of reading the trail = %d, %v, want one per page", len(page.Entries), err)
	}
	if c.ID == 0 {
		t.Error("no case")
	}
}

func TestEveryActionCanBeFilteredFor(t *testing.T) {
	t.Parallel()
	listed := map[models.Action]bool{}
	for _, a := range models.Actions {
		listed[a] = true
	}
	for _, a := range []models.Action{
		models.ActionLogin, models.ActionLogout, models.ActionRefused, models.ActionCancellationRequested, models.ActionCancellationMoved,
		models.ActionCancellationConflict, models.ActionInquirySent, models.ActionInquiryAnswered, models.ActionResultUnmatched,
		models.ActionResultConflict, models.ActionAuditRead, models.ActionStoreCreated, models.ActionStoreChanged,
		models.ActionTerminalCreated, models.ActionTerminalChanged, models.ActionTerminalMoved, models.ActionTerminalRetired,
		models.ActionTerminalRestored, models.ActionUserCreated, models.ActionUserChanged, models.ActionUserDisabled,
		models.ActionUserEnabled, models.ActionPasswordReset, models.ActionCancelRefused, models.ActionResolutionRefused,
	} {
		if !listed[a] {
			t.Errorf("Actions does not list %s", a)
		}
	}
}

func TestOneStoreIsOneStore(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := o.Clock.Now()
	taken := models.Invalid("code", "storeCode.taken")
	in := terminals.StoreInput{Code: strings.ToLower(o.Store.Code), Name: "x", TimeZone: "UTC"}
	var got *models.Error
	if _, err := o.Terminals.CreateStore(t.Context(), o.Admin, in); !errors.As(err, &got) || *got != *taken {
		t.Errorf("CreateStore() with a taken code = %v, want %v", err, taken)
	}
	other := modelstest.Store(t, o.DB, now, "OTHER")
	if err := o.Terminals.ChangeStore(t.Context(), o.Admin, other.ID, 1, in); !errors.As(err, &got) || *got != *taken {
		t.Errorf("ChangeStore() to a taken code = %v, want %v", err, taken)
	}
	if err := o.Terminals.ChangeStore(t.Context(), o.Admin, other.ID, 1,
		terminals.StoreInput{Code: "NEW", Name: "Nueva", TimeZone: "America/Tijuana"}); err != nil {
		t.Errorf("ChangeStore() = %v", err)
	}
	s, err := o.Terminals.Store(t.Context(), o.Admin, other.ID)
	if err != nil || s.Code != "NEW" || s.Name != "Nueva" || s.TimeZone != "America/Tijuana" || s.Version != 2 {
		t.Errorf("Store() = %+v, %v, want what it was changed to, version 2", s, err)
	}
}
