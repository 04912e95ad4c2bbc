package models_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestAnotherStoresThingsAreNotThere calls every method that takes the id of a
// sale, a case or a store with one of a store that the person does not see.
func TestAnotherStoresThingsAreNotThere(t *testing.T) {
	t.Parallel()
	mine := modelstest.NewOffice(t)
	other := mine.Branch(t)
	sale, c := other.In(models.Unknown)
	requested := other.Request(other.SaleAt(other.NewTerminal(other.Store), 900))
	calls := map[string]func(models.Actor) error{
		"Request": func(a models.Actor) error {
			_, err := mine.Cases.Request(t.Context(), a, mine.CancelRequest(sale))
			return err
		},
		"Withdraw": func(a models.Actor) error { _, err := mine.Cases.Withdraw(t.Context(), a, requested.ID); return err },
		"Settle": func(a models.Actor) error {
			return mine.Cases.Settle(t.Context(), a, c.ID, models.Settlement{Outcome: models.Confirmed, AuthCode: "1"})
		},
		"AskToVerify": func(a models.Actor) error { return mine.Cases.AskToVerify(t.Context(), a, c.ID) },
		"Story":       func(a models.Actor) error { _, err := mine.Cases.Story(t.Context(), a, sale.ID); return err },
		"CaseSale":    func(a models.Actor) error { _, err := mine.Cases.CaseSale(t.Context(), a, c.ID); return err },
		"Store":       func(a models.Actor) error { _, err := mine.DB.Store(t.Context(), a, other.Store.ID); return err },
		"DaySales": func(a models.Actor) error {
			_, err := mine.Cases.DaySales(t.Context(), a, models.SaleFilter{Day: "2026-11-20", StoreID: other.Store.ID})
			return err
		},
		"DayRevision": func(a models.Actor) error {
			_, err := mine.Cases.DayRevision(t.Context(), a, models.SaleFilter{Day: "2026-11-20", StoreID: other.Store.ID})
			return err
		},
	}
	people := map[string]models.Actor{
		"a manager":             mine.Manager,
		"a supervisor":          modelstest.Person(models.Supervisor, mine.Store),
		"a manager of no store": {UserID: 9, Name: "N", Role: models.Manager},
	}
	for name, call := range calls {
		for who, actor := range people {
			if err := call(actor); !errors.Is(err, models.ErrNotFound) {
				t.Errorf("%s by %s of another store = %v, want %v", name, who, err, models.ErrNotFound)
			}
		}
	}
	missing := map[string]error{}
	_, missing["Story"] = mine.Cases.Story(t.Context(), mine.Manager, 1<<40)
	_, missing["CaseSale"] = mine.Cases.CaseSale(t.Context(), mine.Manager, 1<<40)
	_, missing["Withdraw"] = mine.Cases.Withdraw(t.Context(), mine.Manager, 1<<40)
	missing["AskToVerify"] = mine.Cases.AskToVerify(t.Context(), mine.Manager, 1<<40)
	missing["Settle"] = mine.Cases.Settle(t.Context(), mine.Supervisor, 1<<40, models.Settlement{Outcome: models.Confirmed, AuthCode: "1"})
	for name, err := range missing {
		if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%s of nothing = %v, want the same %v", name, err, models.ErrNotFound)
		}
	}
	if got := other.Case(c.ID).Version; got != c.Version || other.Case(requested.ID).State != models.Requested {
		t.Error("a refused call changed a case")
	}
	other.CheckBooks(t)
}

func TestListsHoldOneStoreOnly(t *testing.T) {
	t.Parallel()
	mine := modelstest.NewOffice(t)
	other := mine.Branch(t)
	sale := mine.Sale(100)
	theirs := other.Sale(200)
	other.Request(theirs)
	limited := modelstest.Person(models.Supervisor, mine.Store)

	day, err := mine.Cases.DaySales(t.Context(), mine.Manager, models.SaleFilter{Day: "2026-11-20"})
	if err != nil || len(day.Sales) != 1 || day.Sales[0].ID != sale.ID || len(day.Totals) != 1 || day.Filtered.Amount != 100 {
		t.Errorf("DaySales() = %+v, %v, want the one sale of 100", day, err)
	}
	for _, query := range []string{theirs.OrderID, "V-", "4242", "2.00"} {
		day, err := mine.Cases.DaySales(t.Context(), mine.Manager, models.SaleFilter{Day: "2026-11-20", Query: query})
		if err != nil {
			t.Errorf("DaySales(%q) = %v", query, err)
		}
		for _, s := range day.Sales {
			if s.StoreID != mine.Store.ID {
				t.Errorf("DaySales(%q) shows sale %s of another store", query, s.OrderID)
			}
		}
	}
	trail, err := mine.Cases.Audit(t.Context(), limited, models.AuditFilter{})
	if err != nil || len(trail.Entries) == 0 {
		t.Errorf("Audit() = %+v, %v, want the entries of one store", trail, err)
	}
	for _, filter := range []models.AuditFilter{{}, {ActorID: other.Manager.UserID}, {Action: models.ActionCaseRequested}, {Query: theirs.OrderID}} {
		trail, err := mine.Cases.Audit(t.Context(), limited, filter)
		if err != nil {
			t.Errorf("Audit(%+v) = %v", filter, err)
			continue
		}
		for _, e := range trail.Entries {
			if (e.StoreID == nil || *e.StoreID != mine.Store.ID) && (e.ActorID == nil || *e.ActorID != limited.UserID) {
				t.Errorf("Audit(%+v) shows %s of store %q", filter, e.Action, e.StoreName)
			}
		}
	}
	if _, err := mine.Cases.Audit(t.Context(), limited, models.AuditFilter{StoreID: other.Store.ID}); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Audit(another store) = %v, want %v", err, models.ErrNotFound)
	}
	if _, err := mine.Cases.Audit(t.Context(), mine.Manager, models.AuditFilter{}); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("Audit() by a manager = %v, want %v", err, models.ErrForbidden)
	}
}

func TestResultsFollowTheirSale(t *testing.T) {
	t.Parallel()
	mine := modelstest.NewOffice(t)
	elsewhere := modelstest.Store(t, mine.DB, mine.Clock.Now(), "ELSEWHERE")
	sale := mine.Sale(100)
	mine.Clock.Advance(time.Minute)
	if err := mine.Cases.MoveTerminal(t.Context(), mine.Admin, mine.Terminal.ID, 1, models.MoveInput{StoreID: elsewhere.ID, MerchantID: "M2"}); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	late := mine.Post(modelstest.CancelPost(sale, "")) // of a sale of the first store
	there := mine.SalePost(mine.Terminal.SerialNumber, 700)
	there.ResponseCode = "51"
	stray := mine.Post(there) // of no sale, from the second store
	for who, want := range map[*models.Store]map[int64]bool{
		mine.Store: {late.ID: true, stray.ID: false},
		elsewhere:  {late.ID: false, stray.ID: true},
	} {
		page, err := mine.DB.Results(t.Context(), modelstest.Person(models.Supervisor, who), models.ResultFilter{})
		if err != nil {
			t.Fatalf("Results() = %v", err)
		}
		got := map[int64]bool{late.ID: false, stray.ID: false}
		for _, r := range page.Results {
			if _, asked := got[r.ID]; asked {
				got[r.ID] = true
			}
		}
		equal(t, "results that the supervisor of "+who.Code+" sees", got, want)
	}
	if _, err := mine.DB.Results(t.Context(), mine.Manager, models.ResultFilter{}); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("Results() by a manager = %v, want %v", err, models.ErrForbidden)
	}
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.In(models.Unknown)
	sale := o.SaleAt(o.NewTerminal(o.Store), 900)
	now := o.Clock.Now()
	const m, s, a = models.Manager, models.Supervisor, models.Administrator
	user := models.UserInput{Email: "x@example.mx", Name: "X", Role: a, Password: "0123456789"}
	calls := []struct {
		name string
		may  []models.Role
		call func(models.Actor) error
	}{
		{"Request", []models.Role{m, s}, func(who models.Actor) error {
			_, err := o.Cases.Request(t.Context(), who, o.CancelRequest(sale))
			return err
		}},
		{"AskToVerify", []models.Role{m, s}, func(who models.Actor) error { return o.Cases.AskToVerify(t.Context(), who, c.ID) }},
		{"Settle", []models.Role{s}, func(who models.Actor) error { return o.Cases.Settle(t.Context(), who, c.ID, models.Settlement{}) }},
		{"Audit", []models.Role{s, a}, func(who models.Actor) error {
			_, err := o.Cases.Audit(t.Context(), who, models.AuditFilter{})
			return err
		}},
		{"Results", []models.Role{s, a}, func(who models.Actor) error {
			_, err := o.DB.Results(t.Context(), who, models.ResultFilter{})
			return err
		}},
		{"Colleagues", []models.Role{s, a}, func(who models.Actor) error { _, err := o.DB.Colleagues(t.Context(), who); return err }},
		{"CreateStore", []models.Role{a}, func(who models.Actor) error {
			_, err := o.DB.CreateStore(t.Context(), who, now, models.StoreInput{})
			return err
		}},
		{"ChangeStore", []models.Role{a}, func(who models.Actor) error {
			return o.DB.ChangeStore(t.Context(), who, now, o.Store.ID, 1, models.StoreInput{})
		}},
		{"CreateTerminal", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Cases.CreateTerminal(t.Context(), who, models.TerminalInput{})
			return err
		}},
		{"MoveTerminal", []models.Role{a}, func(who models.Actor) error {
			return o.Cases.MoveTerminal(t.Context(), who, o.Terminal.ID, 99, models.MoveInput{StoreID: o.Store.ID, MerchantID: "M"})
		}},
		{"RelabelTerminal", []models.Role{a}, func(who models.Actor) error {
			return o.DB.RelabelTerminal(t.Context(), who, now, o.Terminal.ID, 99, "x")
		}},
		{"RetireTerminal", []models.Role{a}, func(who models.Actor) error { return o.DB.RetireTerminal(t.Context(), who, now, o.Terminal.ID, 99) }},
		{"RestoreTerminal", []models.Role{a}, func(who models.Actor) error { return o.DB.RestoreTerminal(t.Context(), who, now, o.Terminal.ID, 99) }},
		{"Terminals", []models.Role{a}, func(who models.Actor) error {
			_, err := o.DB.Terminals(t.Context(), who, now, models.TerminalFilter{})
			return err
		}},
		{"MoveTerminals", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Cases.MoveTerminals(t.Context(), who, models.MovesInput{})
			return err
		}},
		{"WithdrawPlan", []models.Role{a}, func(who models.Actor) error { return o.DB.WithdrawPlan(t.Context(), who, now, o.Terminal.ID, 99) }},
		{"Health", []models.Role{a}, func(who models.Actor) error {
			_, err := o.DB.Health(t.Context(), who, now, models.HealthFilter{})
			return err
		}},
		{"CountProblems", []models.Role{a}, func(who models.Actor) error {
			_, err := o.DB.CountProblems(t.Context(), who, now)
			return err
		}},
		{"Stores", []models.Role{a}, func(who models.Actor) error {
			_, err := o.DB.Stores(t.Context(), who, now, models.StoreFilter{})
			return err
		}},
		{"TerminalHistory", []models.Role{a}, func(who models.Actor) error {
			_, _, err := o.DB.TerminalHistory(t.Context(), who, now, o.Terminal.ID)
			return err
		}},
		{"CreateUser", []models.Role{a}, func(who models.Actor) error {
			_, err := o.DB.CreateUser(t.Context(), who, now, models.UserInput{})
			return err
		}},
		{"ChangeUser", []models.Role{a}, func(who models.Actor) error { return o.DB.ChangeUser(t.Context(), who, now, 1, 99, user) }},
		{"DisableUser", []models.Role{a}, func(who models.Actor) error { return o.DB.DisableUser(t.Context(), who, now, 1, 99) }},
		{"EnableUser", []models.Role{a}, func(who models.Actor) error { return o.DB.EnableUser(t.Context(), who, now, 1, 99) }},
		{"ResetPassword", []models.Role{a}, func(who models.Actor) error { return o.DB.ResetPassword(t.Context(), who, now, 1, 99, "0123456789") }},
		{"User", []models.Role{a}, func(who models.Actor) error { _, err := o.DB.User(t.Context(), who, 1); return err }},
		{"Users", []models.Role{a}, func(who models.Actor) error { _, err := o.DB.Users(t.Context(), who); return err }},
	}
	people := map[models.Role]models.Actor{m: o.Manager, s: o.Supervisor, a: o.Admin, "": {AllStores: true}, "anonymous": {Role: "anonymous", AllStores: true}}
	for _, tt := range calls {
		for role, who := range people {
			want := false
			for _, may := range tt.may {
				want = want || may == role
			}
			if err := tt.call(who); errors.Is(err, models.ErrForbidden) == want {
				t.Errorf("%s by role %q = %v, want allowed: %t", tt.name, role, err, want)
			}
		}
	}
}
