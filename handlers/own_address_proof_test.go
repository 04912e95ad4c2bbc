package handlers_test

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

// TestWhatAPostAtAnOwnAddressProves: the address says who speaks, so that order,
// terminal, amount and a later time are proof, as long as only one attempt was ever
// sent. Whatever lacks one of these moves nothing.
func TestWhatAPostAtAnOwnAddressProves(t *testing.T) {
	t.Parallel()
	const (
		own     = "its own"
		another = "another's"
		shared  = "the shared"
	)
	approved := `{"transType":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL","amount":"AMOUNT"}`
	tests := []struct {
		fact    string
		state   models.State // before the post
		at      string       // which address; "" is own
		body    string       // "" is approved
		change  func(h *house, sale *models.Sale)
		sameNow bool // posted at the instant of the attempt
		want    string
	}{
		{fact: "sent once", state: models.Accepted, want: "applied confirmed, confirmed"},
		{fact: "in doubt", state: models.Unknown, want: "applied confirmed, confirmed"},
		{fact: "rejected", state: models.Rejected, want: "applied confirmed, confirmed"},
		{fact: "not after the attempt", state: models.Accepted, sameNow: true, want: "ignored asked, accepted"},
		{
			fact: "sent twice", state: models.Rejected, want: "ignored asked, accepted",
			change: func(h *house, sale *models.Sale) { h.Dispatch(h.Request(sale).ID) },
		},
		{
			fact: "without an amount", state: models.Accepted, want: "ignored asked, accepted",
			body: `{"transType":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL"}`,
		},
		{
			fact: "of another amount", state: models.Accepted, want: "conflict amountDiffers, accepted",
			body: `{"transType":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL","amount":"1AMOUNT"}`,
		},
		{
			fact: "of no amount", state: models.Accepted, want: "conflict amountDiffers, accepted",
			body: `{"transType":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL","amount":"0.0"}`,
		},
		{
			fact: "a folio alone", state: models.Accepted, want: "unmatched nothingToMatch, accepted",
			body: `{"transType":"V","responseCode":"00","orderId":"","folioNumber":"FOLIO","terminalId":"SERIAL","amount":"AMOUNT"}`,
		},
		{
			fact: "of an attempt that nobody made", state: models.Accepted, want: "unmatched unknownAttempt, accepted",
			body: `{"transType":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL","amount":"AMOUNT",
				"traceability":{"attemptId":"0123456789abcdef0123456789abcdef"}}`,
		},
		{
			fact: "refused, with no attempt named", state: models.Accepted, want: "ignored negativeWithoutAttempt, accepted",
			body: `{"transType":"V","responseCode":"51","orderId":"ORDER","terminalId":"SERIAL","amount":"AMOUNT"}`,
		},
		{
			fact: "the answer to a question that was not asked", state: models.Accepted, want: "ignored asked, accepted",
			body: `{"isRePrint":true,"reprintModule":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL","amount":"AMOUNT"}`,
		},
		{
			fact: "the answer to a question that was asked", state: models.Unknown, want: "applied confirmed, confirmed",
			body: `{"isRePrint":true,"reprintModule":"V","responseCode":"00","orderId":"ORDER","terminalId":"SERIAL","amount":"AMOUNT"}`,
			change: func(h *house, sale *models.Sale) {
				c := h.SaleDetail(sale.ID).Cancellations[0]
				if _, err := h.Cancellations.Inquire(context.Background(), c.ID, 1); err != nil {
					h.tb.Fatal(err)
				}
			},
		},
		{fact: "at another terminal's address", state: models.Accepted, at: another, want: "conflict otherTerminal, accepted"},
		{fact: "at the shared address", state: models.Accepted, at: shared, want: "ignored asked, accepted"},
		{fact: "nothing was sent yet", state: models.Requested, want: "conflict unidentified, requested"},
		{fact: "taken back before it was sent", state: models.Withdrawn, want: "conflict unidentified, withdrawn"},
		{fact: "never sent in time", state: models.Expired, want: "conflict unidentified, expired"},
		{fact: "nobody asked", state: "", want: "ignored asked, "},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			sale := h.Sale(125000)
			if tt.state != "" {
				sale, _ = h.StateOf(tt.state)
			}
			if tt.change != nil {
				tt.change(h, sale)
			}
			if !tt.sameNow {
				h.Clock.Advance(time.Second)
			}
			address := map[string]string{
				own: ownAddresses.Path(sale.SerialNumber), shared: "/results/" + secret,
				another: ownAddresses.Path(h.NewTerminal(h.Store).SerialNumber),
			}[cmp.Or(tt.at, own)]
			body := strings.NewReplacer(
				"ORDER", sale.OrderID, "SERIAL", string(sale.SerialNumber), "AMOUNT", sale.Amount.Decimal(), "FOLIO", sale.Folio,
			).Replace(cmp.Or(tt.body, approved))
			h.visitor().send("POST", address, body, "Content-Type", "application/json").want(200).says("Recibido")
			got := h.text(`SELECT concat(r.status, ' ', r.note, ', ', (SELECT state FROM cancellations WHERE sale_id = $1 ORDER BY id DESC LIMIT 1))
				FROM results r ORDER BY r.id DESC LIMIT 1`, sale.ID)
			if got != tt.want {
				t.Errorf("%s: %s, want %s", body, got, tt.want)
			}
			h.CheckInvariants(t)
		})
	}
}
