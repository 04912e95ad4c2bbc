package cancellations_test

import (
	"errors"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/results"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// TestAnotherStoresThingsAreNotThere calls every method that takes the id of a sale,
// a cancellation or a store with one of a store outside the person's scope.
func TestAnotherStoresThingsAreNotThere(t *testing.T) {
	t.Parallel()
	mine := modelstest.NewOffice(t)
	other := mine.Branch(t)
	sale, c := other.StateOf(models.Unknown)
	requested := other.Request(other.SaleAt(other.NewTerminal(other.Store), 900))
	calls := map[string]func(models.Actor) error{
		"Request": func(a models.Actor) error {
			_, err := mine.Cancellations.Request(t.Context(), a, mine.CancelRequest(sale))
			return err
		},
		"Withdraw": func(a models.Actor) error {
			_, err := mine.Cancellations.Withdraw(t.Context(), a, requested.ID)
			return err
		},
		"Settle": func(a models.Actor) error {
			return mine.Cancellations.Resolve(t.Context(), a, c.ID, cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "100001"})
		},
		"AskToVerify": func(a models.Actor) error { return mine.Cancellations.AskToVerify(t.Context(), a, c.ID) },
		"Story": func(a models.Actor) error {
			_, err := mine.Cancellations.SaleDetail(t.Context(), a, sale.ID)
			return err
		},
		"CaseSale": func(a models.Actor) error { _, err := mine.Cancellations.SaleOf(t.Context(), a, c.ID); return err },
		"Store":    func(a models.Actor) error { _, err := mine.Terminals.Store(t.Context(), a, other.Store.ID); return err },
		"DaySales": func(a models.Actor) error {
			_, err := mine.Sales.DaySales(t.Context(), a, sales.Filter{Day: "2026-11-20", StoreID: other.Store.ID})
			return err
		},
		"DayRevision": func(a models.Actor) error {
			_, err := mine.Sales.DayRevision(t.Context(), a, sales.Filter{Day: "2026-11-20", StoreID: other.Store.ID})
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
	_, missing["Story"] = mine.Cancellations.SaleDetail(t.Context(), mine.Manager, 1<<40)
	_, missing["CaseSale"] = mine.Cancellations.SaleOf(t.Context(), mine.Manager, 1<<40)
	_, missing["Withdraw"] = mine.Cancellations.Withdraw(t.Context(), mine.Manager, 1<<40)
	missing["AskToVerify"] = mine.Cancellations.AskToVerify(t.Context(), mine.Manager, 1<<40)
	missing["Settle"] = mine.Cancellations.Resolve(t.Context(), mine.Supervisor, 1<<40, cancellations.Resolution{
		Outcome:  models.Confirmed,
		AuthCode: "100001",
	})
	for name, err := range missing {
		if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%s of nothing = %v, want the same %v", name, err, models.ErrNotFound)
		}
	}
	if got := other.Cancellation(c.ID).Version; got != c.Version || other.Cancellation(requested.ID).State != models.Requested {
		t.Error("a refused call changed a case")
	}
	other.CheckInvariants(t)
}

func TestListsHoldOneStoreOnly(t *testing.T) {
	t.Parallel()
	mine := modelstest.NewOffice(t)
	other := mine.Branch(t)
	sale := mine.Sale(100)
	theirs := other.Sale(200)
	other.Request(theirs)
	limited := modelstest.Person(models.Supervisor, mine.Store)

	day, err := mine.Sales.DaySales(t.Context(), mine.Manager, sales.Filter{Day: "2026-11-20"})
	if err != nil || len(day.Sales) != 1 || day.Sales[0].ID != sale.ID || len(day.Totals) != 1 || day.Filtered.Sales.Amount != 100 {
		t.Errorf("DaySales() = %+v, %v, want the one sale of 100", day, err)
	}
	for _, query := range []string{theirs.OrderID, "V-", "4242", "2.00"} {
		day, err := mine.Sales.DaySales(t.Context(), mine.Manager, sales.Filter{Day: "2026-11-20", Query: query})
		if err != nil {
			t.Errorf("DaySales(%q) = %v", query, err)
		}
		for _, s := range day.Sales {
			if s.StoreID != mine.Store.ID {
				t.Errorf("DaySales(%q) shows sale %s of another store", query, s.OrderID)
			}
		}
	}
	trail, err := mine.Audit.Audit(t.Context(), limited, audit.Filter{})
	if err != nil || len(trail.Entries) == 0 {
		t.Errorf("Audit() = %+v, %v, want the entries of one store", trail, err)
	}
	for _, filter := range []audit.Filter{
		{},
		{ActorID: other.Manager.UserID},
		{Action: models.ActionCancellationRequested},
		{Query: theirs.OrderID},
	} {
		trail, err := mine.Audit.Audit(t.Context(), limited, filter)
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
	if _, err := mine.Audit.Audit(t.Context(), limited, audit.Filter{StoreID: other.Store.ID}); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("Audit(another store) = %v, want %v", err, models.ErrNotFound)
	}
	if _, err := mine.Audit.Audit(t.Context(), mine.Manager, audit.Filter{}); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("Audit() by a manager = %v, want %v", err, models.ErrForbidden)
	}
}

func TestResultsFollowTheirSale(t *testing.T) {
	t.Parallel()
	mine := modelstest.NewOffice(t)
	elsewhere := modelstest.Store(t, mine.DB, mine.Clock.Now(), "ELSEWHERE")
	sale := mine.Sale(100)
	mine.Clock.Advance(time.Minute)
	if err := mine.Terminals.MoveTerminal(t.Context(), mine.Admin, mine.Terminal.ID, 1,
		terminals.MoveInput{StoreID: elsewhere.ID, MerchantID: "M2"}); err != nil {
		t.Fatalf("MoveTerminal() = %v", err)
	}
	late := mine.Post(modelstest.CancelPost(sale, "")) // of a sale of the first store
	there := mine.SalePost(mine.Terminal.SerialNumber, 700)
	there.ResponseCode = "51"
	stray := mine.Post(there) // of no known sale, from the second store
	for who, want := range map[*models.Store]map[int64]bool{
		mine.Store: {late.ID: true, stray.ID: false},
		elsewhere:  {late.ID: false, stray.ID: true},
	} {
		page, err := mine.Results.Results(t.Context(), modelstest.Person(models.Supervisor, who), results.Filter{})
		if err != nil {
			t.Fatalf("Results() = %v", err)
		}
		got := map[int64]bool{late.ID: false, stray.ID: false}
		for _, r := range page.Results {
			if _, asked := got[r.ID]; asked {
				got[r.ID] = true
			}
		}
		modelstest.Equal(t, "results that the supervisor of "+who.Code+" sees", got, want)
	}
	if _, err := mine.Results.Results(t.Context(), mine.Manager, results.Filter{}); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("Results() by a manager = %v, want %v", err, models.ErrForbidden)
	}
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	sale := o.SaleAt(o.NewTerminal(o.Store), 900)
	const m, s, a = models.Manager, models.Supervisor, models.Administrator
	user := accounts.Input{Email: "x@example.mx", Name: "X", Role: a, Password: "0123456789"}
	calls := []struct {
		name string
		may  []models.Role
		call func(models.Actor) error
	}{
		{"Request", []models.Role{m, s}, func(who models.Actor) error {
			_, err := o.Cancellations.Request(t.Context(), who, o.CancelRequest(sale))
			return err
		}},
		{"AskToVerify", []models.Role{m, s}, func(who models.Actor) error { return o.Cancellations.AskToVerify(t.Context(), who, c.ID) }},
		{"Settle", []models.Role{s}, func(who models.Actor) error {
			return o.Cancellations.Resolve(t.Context(), who, c.ID, cancellations.Resolution{})
		}},
		{"Audit", []models.Role{s, a}, func(who models.Actor) error {
			_, err := o.Audit.Audit(t.Context(), who, audit.Filter{})
			return err
		}},
		{"Results", []models.Role{s, a}, func(who models.Actor) error {
			_, err := o.Results.Results(t.Context(), who, results.Filter{})
			return err
		}},
		{"Colleagues", []models.Role{s, a}, func(who models.Actor) error { _, err := o.Accounts.Colleagues(t.Context(), who); return err }},
		{"CreateStore", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.CreateStore(t.Context(), who, terminals.StoreInput{})
			return err
		}},
		{"ChangeStore", []models.Role{a}, func(who models.Actor) error {
			return o.Terminals.ChangeStore(t.Context(), who, o.Store.ID, 1, terminals.StoreInput{})
		}},
		{"CreateTerminal", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.CreateTerminal(t.Context(), who, terminals.Input{})
			return err
		}},
		{"MoveTerminal", []models.Role{a}, func(who models.Actor) error {
			return o.Terminals.MoveTerminal(t.Context(), who, o.Terminal.ID, 99, terminals.MoveInput{StoreID: o.Store.ID, MerchantID: "M"})
		}},
		{"RelabelTerminal", []models.Role{a}, func(who models.Actor) error {
			return o.Terminals.RelabelTerminal(t.Context(), who, o.Terminal.ID, 99, "x")
		}},
		{"RetireTerminal", []models.Role{a}, func(who models.Actor) error {
			return o.Terminals.RetireTerminal(t.Context(), who, o.Terminal.ID,
				99)
		}},
		{"RestoreTerminal", []models.Role{a}, func(who models.Actor) error {
			return o.Terminals.RestoreTerminal(t.Context(), who, o.Terminal.ID,
				99)
		}},
		{"Terminals", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.Terminals(t.Context(), who, terminals.Filter{})
			return err
		}},
		{"MoveTerminals", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.MoveTerminals(t.Context(), who, terminals.MovesInput{})
			return err
		}},
		{"WithdrawPlan", []models.Role{a}, func(who models.Actor) error {
			return o.Terminals.WithdrawPlan(t.Context(), who, o.Terminal.ID,
				99)
		}},
		{"Health", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.Health(t.Context(), who, terminals.HealthFilter{})
			return err
		}},
		{"CountProblems", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.CountProblems(t.Context(), who)
			return err
		}},
		{"Stores", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Terminals.Stores(t.Context(), who, terminals.StoreFilter{})
			return err
		}},
		{"TerminalHistory", []models.Role{a}, func(who models.Actor) error {
			_, _, err := o.Terminals.History(t.Context(), who, o.Terminal.ID)
			return err
		}},
		{"Invite", []models.Role{a}, func(who models.Actor) error {
			_, _, err := o.Accounts.Invite(t.Context(), who, accounts.Input{})
			return err
		}},
		// Nobody sets somebody else's password but the command line.
		{"CreateUser", nil, func(who models.Actor) error {
			_, err := o.Accounts.CreateUser(t.Context(), who, user)
			return err
		}},
		{"ChangeUser", []models.Role{a}, func(who models.Actor) error { return o.Accounts.ChangeUser(t.Context(), who, 1, 99, user) }},
		{"DisableUser", []models.Role{a}, func(who models.Actor) error { return o.Accounts.DisableUser(t.Context(), who, 1, 99) }},
		{"EnableUser", []models.Role{a}, func(who models.Actor) error { return o.Accounts.EnableUser(t.Context(), who, 1, 99) }},
		{"BlockName", []models.Role{a}, func(who models.Actor) error { return o.Accounts.BlockName(t.Context(), who, 1, 99) }},
		{"UnblockName", []models.Role{a}, func(who models.Actor) error { return o.Accounts.UnblockName(t.Context(), who, 1, 99) }},
		{"ResetPassword", nil, func(who models.Actor) error {
			return o.Accounts.ResetPassword(t.Context(), who, 1, "una clave de prueba")
		}},
		{"MakeLink", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Accounts.MakeLink(t.Context(), who, 999)
			return err
		}},
		{"LastLink", []models.Role{a}, func(who models.Actor) error {
			_, err := o.Accounts.LastLink(t.Context(), who, 999)
			return err
		}},
		{"User", []models.Role{a}, func(who models.Actor) error { _, err := o.Accounts.User(t.Context(), who, 1); return err }},
		{"Users", []models.Role{a}, func(who models.Actor) error { _, err := o.Accounts.Users(t.Context(), who); return err }},
	}
	people := map[models.Role]models.Actor{
		m: o.Manager, s: o.Supervisor, a: o.Admin, "": {AllStores: true},
		"anonymous": {Role: "anonymous", AllStores: true},
	}
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
