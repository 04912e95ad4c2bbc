package savedviews_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
	"veinte/models/sales"
	"veinte/models/savedviews"
)

// keep saves a view and fails the test on an error.
func keep(t *testing.T, o *modelstest.Office, actor models.Actor, name string, shared bool, f models.ViewFilter) *savedviews.View {
	t.Helper()
	v, err := o.SavedViews.SaveView(t.Context(), actor, savedviews.Input{Name: name, Shared: shared}, f)
	if err != nil {
		t.Fatalf("SaveView(%q of %s) = %v", name, actor.Name, err)
	}
	return v
}

// viewNames are the names of the views of a list that an actor sees, in their order.
func viewNames(t *testing.T, o *modelstest.Office, actor models.Actor, list models.ViewList) []string {
	t.Helper()
	views, err := o.SavedViews.SavedViews(t.Context(), actor, list)
	if err != nil {
		t.Fatalf("SavedViews(%s) = %v", list, err)
	}
	names := []string{}
	for _, v := range views {
		names = append(names, v.Name)
	}
	return names
}

// TestViewsAreOfWhoKeepsThem: a person's own views come first, then shared ones;
// nobody else sees views that are not shared, or that name another's store.
func TestViewsAreOfWhoKeepsThem(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Members(t, o, o.Manager, o.Supervisor)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	doubts := &sales.Filter{State: models.SaleUnknown}
	keep(t, o, o.Manager, "zeta", false, doubts)
	keep(t, o, o.Manager, "Beta", false, doubts)
	private := keep(t, o, o.Supervisor, "privada", false, doubts)
	shared := keep(t, o, o.Supervisor, "alfa", true, doubts)
	here := keep(t, o, o.Supervisor, "de aquí", true, &sales.Filter{StoreID: o.Store.ID})
	elsewhere := keep(t, o, o.Supervisor, "de la otra", true, &sales.Filter{StoreID: other.ID, State: models.SaleUnknown})
	ofTrail := keep(t, o, o.Supervisor, "de la bitácora", true, &audit.Filter{Outcome: models.OutcomeDenied})

	modelstest.Equal(t, "what the manager sees", viewNames(t, o, o.Manager, models.ViewsOfSales), []string{"Beta", "zeta", "alfa", "de aquí"})
	modelstest.Equal(t, "what the supervisor sees", viewNames(t, o, o.Supervisor, models.ViewsOfSales),
		[]string{"alfa", "de aquí", "de la otra", "privada"})
	modelstest.Equal(t, "of the trail", viewNames(t, o, o.Supervisor, models.ViewsOfAudit), []string{"de la bitácora"})
	if _, err := o.SavedViews.SavedViews(t.Context(), o.Manager, models.ViewsOfAudit); !errors.Is(err, models.ErrForbidden) {
		t.Errorf("SavedViews(of the trail) by a manager = %v, want ErrForbidden", err)
	}
	for _, tt := range []struct {
		fact  string
		actor models.Actor
		list  models.ViewList
		view  *savedviews.View
		want  error
	}{
		{"a shared one", o.Manager, models.ViewsOfSales, shared, nil},
		{"one of a store that they see", o.Manager, models.ViewsOfSales, here, nil},
		{"one of a store that they do not", o.Manager, models.ViewsOfSales, elsewhere, models.ErrNotFound},
		{"another person's own", o.Manager, models.ViewsOfSales, private, models.ErrNotFound},
		{"the owner's own", o.Supervisor, models.ViewsOfSales, private, nil},
		{"of the trail, without the permission to read it", o.Manager, models.ViewsOfAudit, ofTrail, models.ErrForbidden},
		{"of the trail, under the name of the sales", o.Manager, models.ViewsOfSales, ofTrail, models.ErrNotFound},
	} {
		if _, err := o.SavedViews.SavedView(t.Context(), tt.actor, tt.list, tt.view.ID); !errors.Is(err, tt.want) {
			t.Errorf("%s: SavedView() = %v, want %v", tt.fact, err, tt.want)
		}
	}
}

// TestOnlyTheOwnerChangesAView, and only at the version they last saw; sharing needs
// a permission.
func TestOnlyTheOwnerChangesAView(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Members(t, o, o.Manager, o.Supervisor)
	ctx := t.Context()
	f := &sales.Filter{State: models.SaleRejected, TerminalID: o.Terminal.ID, StoreID: o.Store.ID, Query: "99"}
	v := keep(t, o, o.Supervisor, "Rechazadas", true, f)
	own := keep(t, o, o.Manager, "Mías", false, f)
	in := savedviews.Input{Name: "Otra", Shared: false}
	for _, tt := range []struct {
		fact    string
		actor   models.Actor
		list    models.ViewList
		view    *savedviews.View
		version int
		in      savedviews.Input
		want    error
	}{
		{"a colleague", modelstest.Person(models.Supervisor), models.ViewsOfSales, v, 1, in, models.ErrNotFound},
		{"an administrator", o.Admin, models.ViewsOfSales, v, 1, in, models.ErrNotFound},
		{"a manager to whom it is shared", o.Manager, models.ViewsOfSales, v, 1, in, models.ErrNotFound},
		{"as a view of another list", o.Supervisor, models.ViewsOfAudit, v, 1, in, models.ErrNotFound},
		{"of a version that is no more", o.Supervisor, models.ViewsOfSales, v, 0, in, models.ErrStale},
		{"of a version that is not yet", o.Supervisor, models.ViewsOfSales, v, 2, in, models.ErrStale},
		{"a manager who would share it", o.Manager, models.ViewsOfSales, own, 1, savedviews.Input{Name: "x", Shared: true}, models.ErrForbidden},
	} {
		if err := o.SavedViews.ChangeView(ctx, tt.actor, tt.list, tt.view.ID, tt.version, tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%s: ChangeView() = %v, want %v", tt.fact, err, tt.want)
		}
		if tt.want == models.ErrForbidden {
			continue // to remove it nobody asks
		}
		if err := o.SavedViews.RemoveView(ctx, tt.actor, tt.list, tt.view.ID, tt.version); !errors.Is(err, tt.want) {
			t.Errorf("%s: RemoveView() = %v, want %v", tt.fact, err, tt.want)
		}
	}
	left := modelstest.Count(t, o.Owner, `SELECT count(*) FROM saved_views WHERE version = 1 AND name IN ('Rechazadas', 'Mías')`)
	modelstest.Wants(t, "views after what was refused", left, 2)

	if err := o.SavedViews.ChangeView(ctx, o.Supervisor, models.ViewsOfSales, v.ID, 1, savedviews.Input{Name: "Negadas"}); err != nil {
		t.Fatal(err)
	}
	if err := o.SavedViews.RemoveView(ctx, o.Supervisor, models.ViewsOfSales, v.ID, 2); err != nil {
		t.Fatal(err)
	}
	modelstest.Equal(t, "what is left", viewNames(t, o, o.Supervisor, models.ViewsOfSales), []string{})

	// The trail records who saved what, with which filter, and each change.
	filter := map[string]any{"state": "rejected", "terminalId": float64(o.Terminal.ID), "storeId": float64(o.Store.ID), "query": "99"}
	told := func(name string, shared bool) map[string]any {
		return map[string]any{"list": "sales", "view": name, "shared": shared, "filter": filter}
	}
	modelstest.Equal(t, "the trail", viewEntries(t, o, o.Supervisor), []viewEntry{
		{models.ActionViewCreated, nil, told("Rechazadas", true)},
		{models.ActionViewChanged, told("Rechazadas", true), told("Negadas", false)},
		{models.ActionViewRemoved, told("Negadas", false), nil},
	})
}

// viewEntry is the trail's entry of a view.
type viewEntry struct {
	Action        models.Action
	Before, After map[string]any
}

func viewEntries(t *testing.T, o *modelstest.Office, actor models.Actor) (told []viewEntry) {
	t.Helper()
	rows, err := o.Owner.QueryContext(t.Context(), `SELECT action, coalesce(before::text, 'null'), coalesce(after::text, 'null')
		FROM audit_entries WHERE actor_id = $1 AND action LIKE 'auditView.%' ORDER BY id`, actor.UserID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e viewEntry
		var before, after string
		if err := errors.Join(rows.Scan(&e.Action, &before, &after)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(json.Unmarshal([]byte(before), &e.Before), json.Unmarshal([]byte(after), &e.After)); err != nil {
			t.Fatal(err)
		}
		told = append(told, e)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return told
}

// TestWhatIsKeptAsAView: a unique name, a filter that is not empty, no card number,
// and a limited number.
func TestWhatIsKeptAsAView(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Members(t, o, o.Manager, o.Supervisor, o.Admin)
	doubts := &sales.Filter{State: models.SaleUnknown}
	keep(t, o, o.Manager, "Dudas", false, doubts)
	keep(t, o, o.Supervisor, "Dudas", false, doubts) // another person's name is free
	keep(t, o, o.Supervisor, "Mías", false, &audit.Filter{Outcome: models.OutcomeDenied})
	keep(t, o, o.Supervisor, "Mías", false, doubts) // and so is that of another list
	for _, tt := range []struct {
		fact  string
		actor models.Actor
		in    savedviews.Input
		f     models.ViewFilter
		want  error
	}{
		{"a name that is taken, in capitals", o.Manager, savedviews.Input{Name: "DUDAS"}, doubts, models.Invalid("name", "auditView.taken")},
		{"no name", o.Manager, savedviews.Input{Name: " "}, doubts, models.Invalid("name", "field.required")},
		{"a filter of nothing", o.Manager, savedviews.Input{Name: "x"}, &sales.Filter{Cursor: "c"}, models.Invalid("", "auditView.empty")},
		{
			"a whole card number", o.Manager,
			savedviews.Input{Name: "x"},
			&sales.Filter{Query: "4111 1111 1111 1111"}, models.Invalid("", "field.cardNumber"),
		},
		{
			"one in a search of the trail", o.Supervisor,
			savedviews.Input{Name: "x"},
			&audit.Filter{Reason: "4111111111111111"}, models.Invalid("", "field.cardNumber"),
		},
		{"shared by who may not share", o.Manager, savedviews.Input{Name: "x", Shared: true}, doubts, models.ErrForbidden},
		{
			"of a list that one may not read", o.Manager,
			savedviews.Input{Name: "x"},
			&audit.Filter{Outcome: models.OutcomeDenied}, models.ErrForbidden,
		},
	} {
		if _, err := o.SavedViews.SaveView(t.Context(), tt.actor, tt.in, tt.f); !errors.Is(err, tt.want) {
			t.Errorf("%s: SaveView() = %v, want %v", tt.fact, err, tt.want)
		}
	}

	// A hundred views per list and person.
	modelstest.Exec(t, o.Owner, `INSERT INTO saved_views (list, owner_id, owner_name, name, filter, shared, version, created_at)
		SELECT 'sales', $1, 'M', 'n' || i, 'q=1', false, 1, now() FROM generate_series(1, 98) i`, o.Manager.UserID)
	keep(t, o, o.Manager, "la número cien", false, doubts)
	_, err := o.SavedViews.SaveView(t.Context(), o.Manager, savedviews.Input{Name: "una más"}, doubts)
	if want := (&models.Error{Kind: models.KindConflict, Code: "auditView.tooMany"}); !errors.Is(err, want) {
		t.Errorf("SaveView() of one too many = %v, want %v", err, want)
	}
	modelstest.Exec(t, o.Owner, `UPDATE saved_views SET owner_id = $2 WHERE owner_id = $1`, o.Manager.UserID, o.Admin.UserID)
	keep(t, o, o.Manager, "otra vez", false, doubts)
	keep(t, o, o.Admin, "de la otra lista", false, &audit.Filter{Outcome: models.OutcomeDenied})
	modelstest.Wants(t, "entries of what was kept", len(viewEntries(t, o, o.Manager)), 3)
	modelstest.Wants(t, "views of the manager", fmt.Sprint(viewNames(t, o, o.Manager, models.ViewsOfSales)), "[otra vez]")
}
