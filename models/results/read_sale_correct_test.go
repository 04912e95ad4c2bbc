package results_test

import (
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/review"
)

// The amount that people see is changed at the terminal's own address only, and never
// without a contradiction.
func TestATerminalCorrectsWhatWasMistyped(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for door, in := range map[string]intake.Options{
		"a program": modelstest.ByAPI, "a person": {Source: models.SourceManual}, "a file": {Source: models.SourceImport, BatchID: 7},
	} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			mistyped := modelstest.GivenSale(o, "ORDER-"+o.Store.Code)
			mistyped.Amount = "125.00"
			actor := modelstest.RequestKey()
			actor.Grants = []models.Permission{models.RecordSales, models.AddManualSales, models.ImportSales}
			sale := modelstest.Record(t, o, actor, in, mistyped)[0]
			p := o.SalePost(o.Terminal.SerialNumber, 125000)
			p.OrderID, p.Folio = "ORDER-"+o.Store.Code, ""
			anybody := o.Post(p) // as anybody could who knows the shared address
			if anybody.Status != models.ResultConflict || anybody.Note != "amountDiffers" {
				t.Errorf("a post of another amount is %s (%s), want a conflict", anybody.Status, anybody.Note)
			}
			if s := o.SaleDetail(sale.SaleID).Sale; s.Amount != 12500 || s.Source != in.Source {
				t.Errorf("after a post that anybody could send the sale is %+v, want it as it was", s)
			}
			p.OwnAddress = true
			r := o.Post(p)
			if r.Status != models.ResultConflict || r.Note != "corrected" || r.SaleID == nil || *r.SaleID != sale.SaleID {
				t.Errorf("the terminal's post of a mistyped sale is %s (%s), want it corrected, and to be reviewed", r.Status, r.Note)
			}
			_, page := modelstest.Inbox(t, o, o.Supervisor, review.ReviewResult)
			for _, id := range []int64{anybody.ID, r.ID} {
				if !slices.ContainsFunc(page.Items, func(i review.Item) bool { return i.Result.ID == id }) {
					t.Errorf("result %d is not under what a person reviews", id)
				}
			}
			s := o.SaleDetail(sale.SaleID).Sale
			if s.Amount != 125000 || s.Source != models.SourceTerminal || s.AuthCode != p.AuthCode || s.Folio != "F1" || s.BatchID != nil ||
				s.RecordedBy != "" {
				t.Errorf("the sale is now %+v, want what its terminal says, and the folio that it does not name", s)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM sale_facts WHERE sale_id = $1 AND source = $2
				AND (fact, value, filled) IN (('folio', 'F1', true), ('reference', 'ticket 7', true), ('authCode', 'A1', false))`,
				s.ID, string(in.Source)); n != 3 {
				t.Errorf("of what the sale has from before, or had, %d facts are told of their source, want 3", n)
			}
			if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'sale.corrected' AND sale_id = $1
				AND actor_role = 'terminal'
				AND before->>'amount' = '12500' AND before->>'source' = $2 AND after->>'amount' = '125000'
			AND amount = 125000`, s.ID, string(in.Source)); n != 1 {
				t.Errorf("entries of the correction = %d, want 1", n)
			}
			if r := o.Post(p); r.Status != models.ResultDuplicate {
				t.Errorf("the same post again is %s (%s), want a duplicate", r.Status, r.Note)
			}
			other := models.Money(999)
			p.Amount = &other
			if r := o.Post(p); r.Status != models.ResultConflict || r.Note != "amountDiffers" {
				t.Errorf("a post that contradicts the terminal's own is %s (%s), want a conflict", r.Status, r.Note)
			}
			if got := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, mistyped)[0]; got.Status != intake.Conflict {
				t.Errorf("the mistyped sale reported again is %s, want a conflict", modelstest.Said(got))
			}
			o.Request(&s)
		})
	}
	t.Cleanup(func() { office.CheckInvariants(t) })
}

func TestASaleWithACaseIsNotCorrected(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	for state, ask := range map[string]func(*testing.T, *modelstest.Office, *models.Cancellation){
		"requested": func(*testing.T, *modelstest.Office, *models.Cancellation) {},
		"withdrawn": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			if _, err := o.Cancellations.Withdraw(t.Context(), o.Manager, c.ID); err != nil {
				t.Fatalf("Withdraw() = %v", err)
			}
		},
	} {
		o := office.Branch(t)
		id := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-"+o.Store.Code))[0].SaleID
		s := o.SaleDetail(id).Sale
		ask(t, o, o.Request(&s))
		p := o.SalePost(o.Terminal.SerialNumber, 9900)
		p.OrderID, p.OwnAddress = "ORDER-"+o.Store.Code, true
		if r := o.Post(p); r.Status != models.ResultConflict || r.Note != "amountDiffers" {
			t.Errorf("a post of another amount for a sale with a case that is %s is %s (%s), want a conflict", state, r.Status, r.Note)
		}
		if got := o.SaleDetail(id).Sale; got.Amount != 125000 || got.Source != models.SourceAPI {
			t.Errorf("the sale with a case that is %s is now %+v, want it as it was", state, got)
		}
		if _, err := o.Owner.Exec(`UPDATE sales SET amount = 9900, source = 'terminal' WHERE id = $1`, id); err == nil {
			t.Errorf("the database lets a sale with a case that is %s be corrected", state)
		}
	}
	o := office.Branch(t)
	id := modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "ORDER-"+o.Store.Code))[0].SaleID
	if _, err := o.Owner.Exec(`UPDATE sales SET amount = 9900, source = 'hand' WHERE id = $1`, id); err == nil {
		t.Error("the database lets another door than its own or the terminal's change an amount")
	}
	office.CheckInvariants(t)
}
