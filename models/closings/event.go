package closings

import (
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// publishClosed publishes to webhooks that a day was closed, to each with its own
// stores.
func (s *Service) publishClosed(t database.Tx, c *Closing, terminals []ClosingTerminal) error {
	dataFor := func(a webhooks.Audience) any {
		var seen []ClosingTerminal
		for i := range terminals {
			if a.Covers(terminals[i].StoreID) {
				seen = append(seen, terminals[i])
			}
		}
		_, total := byStore(seen)
		return map[string]any{
			"day": c.Day, "closedAt": c.ClosedAt.UTC().Format(time.RFC3339), "sha256": c.HashText(), "allStores": a.AllStores,
			"total": nameSums(&total, eventSumOf),
		}
	}
	return s.deliveries.Publish(t, webhooks.Event{Type: webhooks.EventDayClosed, At: c.ClosedAt, Lane: "closings", DataFor: dataFor})
}

// eventSum is a sum in a webhook. Money is text there, as in the API; amountCentavos is
// its old form, until models.OldNamesEnd. The report itself keeps its form, whose bytes
// are hashed.
type eventSum struct {
	Count    int64        `json:"count"`
	Amount   string       `json:"amount"`
	Centavos models.Money `json:"amountCentavos"`
}

func eventSumOf(s models.Sum) eventSum { return eventSum{s.Count, s.Amount.Decimal(), s.Amount} }
