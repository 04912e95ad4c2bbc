package results_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// atOwn is the post as it comes at the own address of a terminal.
func atOwn(p models.Post, of models.SerialNumber) models.Post {
	p.AddressSerial, p.AddressKey = string(of), "0123abcd"
	p.OwnAddress = p.SerialNumber == p.AddressSerial
	return p
}

// TestAnotherTerminalsAddressProvesNothing: whoever has the address of one terminal
// has no say about another one, however good the post looks. Nothing that is known
// changes, the post is neither read nor forwarded, and a person reviews it.
func TestAnotherTerminalsAddressProvesNothing(t *testing.T) {
	t.Parallel()
	office := modelstest.NewOffice(t)
	_, _, err := office.Deliveries.CreateEndpoint(t.Context(), office.Admin, webhooks.Input{
		Kind: webhooks.RelayEndpoint, Name: "Punto de venta", URL: "https://pos.example/veinte",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fact string
		post func(o *modelstest.Office, sale *models.Sale) models.Post
	}{
		{"a positive with the attempt's id", func(o *modelstest.Office, sale *models.Sale) models.Post {
			return modelstest.CancelPost(sale, o.LastOrder().Key.Hash())
		}},
		{"a positive without one", func(_ *modelstest.Office, sale *models.Sale) models.Post { return modelstest.CancelPost(sale, "") }},
		{"a negative with the attempt's id", func(o *modelstest.Office, sale *models.Sale) models.Post {
			p := modelstest.CancelPost(sale, o.LastOrder().Key.Hash())
			p.ResponseCode = "05"
			return p
		}},
		{"an inquiry's answer", func(_ *modelstest.Office, sale *models.Sale) models.Post {
			return modelstest.InquiryPost(sale, models.StandingCanceled)
		}},
		{"a sale", func(o *modelstest.Office, sale *models.Sale) models.Post { return o.SalePost(sale.SerialNumber, 100) }},
		{"another amount of the sale", func(o *modelstest.Office, sale *models.Sale) models.Post {
			p := o.SalePost(sale.SerialNumber, 100)
			p.OrderID = sale.OrderID
			return p
		}},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := office.Branch(t)
			sale, c := o.StateOf(models.Accepted)
			liar := o.NewTerminal(o.Store)
			state := func() string {
				return modelstest.Scan[string](t, o.Owner, `SELECT concat_ws(' ', c.state, c.version, c.conflict, s.state, s.amount,
					(SELECT count(*) FROM sales WHERE terminal_id = s.terminal_id), t.last_result_at, t.shared_posts,
					(SELECT count(*) FROM deliveries WHERE serial_number = t.serial_number))
					FROM cancellations c JOIN sales s ON s.id = c.sale_id JOIN terminals t ON t.id = s.terminal_id WHERE c.id = $1`, c.ID)
			}
			before := state()
			o.Clock.Advance(1)
			p := tt.post(o, sale)
			p.Raw = []byte(`{}`)
			r := o.Post(atOwn(p, liar.SerialNumber))
			if got := state(); got != before {
				t.Errorf("the sale and its cancellation were %q and are %q", before, got)
			}
			if r.Status != models.ResultConflict || r.Note != "otherTerminal" || r.SaleID != nil || r.CancellationID != nil {
				t.Errorf("result = %+v, want a contradiction that belongs to no sale", r)
			}
			said := modelstest.Scan[string](t, o.Owner, `SELECT string_agg(actor_name || ' names ' || serial_number, ', ')
				FROM audit_entries WHERE action = 'result.conflict' AND serial_number = $1`, sale.SerialNumber)
			modelstest.Wants(t, "the trail", said, string(liar.SerialNumber)+" names "+string(sale.SerialNumber))
			o.CheckInvariants(t)
		})
	}
}

// TestWhereATerminalPosts: what a terminal is known to post at follows its last posts.
func TestWhereATerminalPosts(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	serial, other := o.Terminal.SerialNumber, o.NewTerminal(o.Store).SerialNumber
	where := func(step, want string) {
		t.Helper()
		modelstest.Wants(t, step, modelstest.Scan[string](t, o.Owner, `SELECT address_key || ' ' || shared_posts FROM terminals
			WHERE serial_number = $1`, serial), want)
	}
	where("at first", " 0")
	o.Post(o.SalePost(serial, 100))
	o.Post(o.SalePost(serial, 100))
	where("after two posts at the shared address", " 2")
	o.Post(atOwn(o.SalePost(serial, 100), serial))
	where("after one at its own", "0123abcd 0")
	o.Post(o.SalePost(serial, 100))
	where("after one more at the shared address", "0123abcd 1")
	o.Post(atOwn(o.SalePost(serial, 100), other))
	where("after one at another's that names it", "0123abcd 1")
	forwarded := o.SalePost(serial, 100)
	forwarded.Forwarded = true
	o.Post(forwarded)
	where("after one that another back office forwards", "0123abcd 1")
	modelstest.Wants(t, "stored as own", modelstest.Scan[string](t, o.Owner, `SELECT string_agg(concat_ws(' ', serial_number = $1,
		address_serial,
		own_address), '; ' ORDER BY id) FROM results WHERE own_address OR address_serial <> ''`, serial),
		"t "+string(serial)+" t; t "+string(other)+" f")
}
