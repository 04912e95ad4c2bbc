// Package till is the point of sale of the demo's first shop, a program with a key of its own.
// It tells the sales of the day through the HTTP API, beside the terminals that post them: the
// ticket's number comes from the till, the rest from the terminals, and now and then it has
// other digits of the card, as somebody typed them.
package till

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/sales"
	"veinte/models/wiring"
)

// Config is a shop and how its till reaches the server.
type Config struct {
	Services  *wiring.Services
	Clock     models.Clock
	Logger    *slog.Logger
	Admin     models.Actor // gives the till its key
	StoreCode string
	URL       string // of POST /api/v1/sales
}

// Till tells the sales of its shop.
type Till struct {
	Config
	secret  string
	storeID int64
}

const (
	name  = "Caja de Roma Norte"
	every = 20 * time.Second
	// mistypes is after how many sales the till has other digits of a card.
	mistypes = 12
)

// New gives the till a key. A key that is there is rotated: its secret is not stored.
func New(ctx context.Context, c Config) (*Till, error) {
	dir, err := c.Services.Terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	t := &Till{Config: c}
	for _, s := range dir.Visible(c.Admin) {
		if s.Code == c.StoreCode {
			t.storeID = s.ID
		}
	}
	keys := c.Services.APIKeys
	all, err := keys.Keys(ctx, c.Admin)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == name {
			t.secret, err = keys.RotateKey(ctx, c.Admin, all[i].ID, all[i].Version, 365, 0)
			return t, err
		}
	}
	_, t.secret, err = keys.CreateKey(ctx, c.Admin, apikeys.Input{
		Name: name, Scopes: []apikeys.Scope{apikeys.ScopeSalesWrite}, StoreIDs: []int64{t.storeID}, Pace: apikeys.PaceNormal, Days: 365,
	})
	return t, err
}

// Work tells the sales until ctx ends. What cannot be told now is told the next time.
func (t *Till) Work(ctx context.Context) {
	next := time.NewTicker(every)
	defer next.Stop()
	for {
		if err := t.tell(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Logger.Info("the demo's till will tell its sales later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}

// tell sends the shop's sales of today that have no ticket number.
func (t *Till) tell(ctx context.Context) error {
	day := t.Services.Rules.Window().Calendar.Day(t.Clock.Now())
	page, err := t.Services.Sales.DaySales(ctx, t.Admin, sales.Filter{Day: day, StoreID: t.storeID, Size: 200})
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
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
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
		if s.ID%mistypes == 0 {
			ticket["last4"] = "0000"
		}
		told = append(told, ticket)
	}
	return told
}
