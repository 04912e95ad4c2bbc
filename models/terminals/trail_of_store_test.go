package terminals_test

import (
	"slices"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// TestTheTrailOfAStoreHasWhatLeftIt: what was done to a terminal is found by the store where
// it stood then, and a move by both stores, also under the name that one had then.
func TestTheTrailOfAStoreHasWhatLeftIt(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	there := modelstest.Store(t, o.DB, o.Clock.Now(), "THERE")
	elsewhere := modelstest.Store(t, o.DB, o.Clock.Now(), "OTHER")
	id, version := o.Terminal.ID, 1
	does := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		o.Clock.Advance(time.Minute)
		version++
	}
	does(o.Terminals.RelabelTerminal(t.Context(), o.Admin, id, version, "Caja vieja"))
	does(modelstest.MoveTo(t, o, version, there, ""))
	does(o.Terminals.RelabelTerminal(t.Context(), o.Admin, id, version, "Caja nueva"))
	does(o.Terminals.RetireTerminal(t.Context(), o.Admin, id, version))
	if err := o.Terminals.ChangeStore(t.Context(), o.Admin, o.Store.ID, 1, terminals.StoreInput{
		Code: o.Store.Code, Name: "Con otro nombre", TimeZone: o.Store.TimeZone,
	}); err != nil {
		t.Fatal(err)
	}
	of := func(who models.Actor, store int64, f audit.Filter) (found []string) {
		t.Helper()
		f.StoreID, f.Serial = store, o.Terminal.SerialNumber
		page, err := o.Audit.Audit(t.Context(), who, f)
		if err != nil {
			t.Fatal(err)
		}
		f.Serial = ""
		all, err := o.Audit.Audit(t.Context(), who, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			found = append(found, string(e.Action))
			if !slices.ContainsFunc(all.Entries, func(x models.AuditEntry) bool { return x.ID == e.ID }) {
				t.Errorf("the store alone does not find %s", e.Action)
			}
		}
		return found
	}
	modelstest.Equal(t, "of the store that it left", of(o.Admin, o.Store.ID, audit.Filter{}),
		[]string{"terminal.moved", "terminal.changed", "terminal.created"})
	modelstest.Equal(t, "of the store where it went", of(o.Admin, there.ID, audit.Filter{}),
		[]string{"terminal.retired", "terminal.changed", "terminal.moved"})
	modelstest.Equal(t, "of another store", of(o.Admin, elsewhere.ID, audit.Filter{}), []string(nil))
	some := modelstest.Person(models.Auditor, o.Store)
	modelstest.Equal(t, "to a reader of the first store alone", of(some, o.Store.ID, audit.Filter{}),
		[]string{"terminal.changed", "terminal.created"})
}
