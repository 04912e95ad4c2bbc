package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/sales"
)

// till is the point of sale of the demo's first shop, a program with a key of its own.
// It tells the sales of the day through the HTTP API, beside the terminals that post
// them: the ticket's number comes from the till, the rest from the terminals, and now
// and then it has other digits of the card, as somebody typed them.
type till struct {
	*demoDay
	url     string // of POST /api/v1/sales
	secret  string
	storeID int64
}

const (
	tillName  = "Caja de Roma Norte"
	tillEvery = 20 * time.Second
	// tillMistypes is after how many sales the till has other digits of a card.
	tillMistypes = 12
)

// newTill gives the till of the shop a key. A key that is there is rotated: its secret
// is not stored.
func (d *demoDay) newTill(ctx context.Context, url string) (*till, error) {
	dir, err := d.server.services.Terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	t := &till{demoDay: d, url: url}
	for _, s := range dir.Visible(demoAdmin) {
		if s.Code == demoShops.stores[0].Code {
			t.storeID = s.ID
		}
	}
	keys := d.server.services.APIKeys
	all, err := keys.Keys(ctx, demoAdmin)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == tillName {
			t.secret, err = keys.RotateKey(ctx, demoAdmin, all[i].ID, all[i].Version, 365, 0)
			return t, err
		}
	}
	_, t.secret, err = keys.CreateKey(ctx, demoAdmin, apikeys.Input{
		Name: tillName, Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite}, StoreIDs: []int64{t.storeID}, Pace: apikeys.PaceNormal, Days: 365,
	})
	return t, err
}

// work tells the sales until the demo ends. What cannot be told now is told the next
// time.
func (t *till) work(ctx context.Context) {
	every := time.NewTicker(tillEvery)
	defer every.Stop()
	for {
		if err := t.tell(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.server.log.Info("the demo's till will tell its sales later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// tell sends the shop's sales of today that have no ticket number.
func (t *till) tell(ctx context.Context) error {
	day := t.server.services.Rules.Window().Calendar.Day(t.clock.Now())
	page, err := t.server.services.Sales.DaySales(ctx, demoAdmin, sales.Filter{Day: day, StoreID: t.storeID, Size: 200})
	if err != nil {
		return err
	}
	told := tickets(page.Sales)
	if len(told) == 0 {
		return nil
	}
	body, err := json.Marshal(told)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+t.secret)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= http.StatusBadRequest {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
		return fmt.Errorf("answered %d: %s", answer.StatusCode, said)
	}
	return nil
}

// tickets are the sales as the till has them.
func tickets(listed []sales.Row) []map[string]any {
	var told []map[string]any
	for i := range listed {
		s := &listed[i].Sale
		if s.Source != models.SourceTerminal || s.Reference != "" {
			continue
		}
		ticket := map[string]any{
			"serialNumber": s.SerialNumber, "orderId": s.OrderID, "amount": s.Amount.Decimal(), "soldAt": s.SoldAt.Format(time.RFC3339),
			"last4": s.Last4, "reference": fmt.Sprintf("RN-%05d", s.ID),
		}
		if s.CardBrand != "" { // as the till spells it
			ticket["cardBrand"] = s.CardBrand[:1] + strings.ToLower(s.CardBrand[1:])
		}
		if s.ID%tillMistypes == 0 {
			ticket["last4"] = "0000"
		}
		told = append(told, ticket)
	}
	return told
}
