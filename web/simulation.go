package web

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"veinte/models"
	"veinte/models/sales"
	"veinte/models/terminals"
)

// simulation is what the demo and a practice installation have in common: stores
// whose terminals are the sandbox's, and sales that these post. It uses the product's
// own interfaces for all of them.
type simulation struct {
	server *server
	box    *sandboxProcess
	clock  models.Clock
	base   string // of the server, as terminals reach it
}

// simulatedShops are the stores of a simulation, each with the same terminals.
type simulatedShops struct {
	actor    models.Actor // makes them
	stores   []terminals.StoreInput
	labels   []string                                             // of each store's terminals
	serials  string                                               // first digits of their serial numbers
	merchant string                                               // first digits of their merchant ids
	shared   string                                               // label of the terminals that still post at the shared address
	ticket   func(store terminals.StoreInput) (head, city string) // what a ticket says of a store
}

func (s *simulatedShops) serial(store, terminal int) string {
	return fmt.Sprintf("%s%02d%03d", s.serials, store+1, terminal+1)
}

func (s *simulatedShops) merchantID(store, terminal int) string {
	return fmt.Sprintf("%s%02d%02d", s.merchant, store+1, terminal+1)
}

// create makes the stores and their terminals, unless there are stores.
func (s *simulation) create(ctx context.Context, shops *simulatedShops) (made bool, err error) {
	dir, err := s.server.services.Terminals.Directory(ctx)
	if err != nil || len(dir.Stores) > 0 {
		return false, err
	}
	// Terminals stood there yesterday, of which a demo has sales too.
	since := s.server.services.Rules.Window().Calendar.Day(s.clock.Now()).Plus(-1)
	for i, store := range shops.stores {
		created, err := s.server.services.Terminals.CreateStore(ctx, shops.actor, store)
		if err != nil {
			return false, err
		}
		for t, label := range shops.labels {
			_, err := s.server.services.Terminals.CreateTerminal(ctx, shops.actor, terminals.Input{
				SerialNumber: shops.serial(i, t), Label: label, MerchantID: shops.merchantID(i, t), StoreID: created.ID, Since: since,
			})
			if err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// register makes the terminals known to the sandbox.
func (s *simulation) register(ctx context.Context, shops *simulatedShops) error {
	shared := s.base + "/results/" + s.server.results.Secret
	err := s.box.control(ctx, http.MethodPut, "/control/config", map[string]any{"responseURL": shared})
	for i, store := range shops.stores {
		for t, label := range shops.labels {
			head, city := shops.ticket(store)
			err = errors.Join(err, s.box.control(ctx, http.MethodPut, "/control/terminals/"+shops.serial(i, t), map[string]any{
				"merchantId": shops.merchantID(i, t), "storeName": head, "city": city,
				"responseURL": s.ownAddress(shops.serial(i, t), label == shops.shared),
			}))
		}
	}
	return err
}

// ownAddress is what somebody would type into a terminal; "" for the shared address.
func (s *simulation) ownAddress(serial string, shared bool) string {
	if keys := s.server.results.Keys; keys != nil && !shared {
		return s.base + keys.Path(models.SerialNumber(serial))
	}
	return ""
}

// sold is the number of a day's sales.
func (s *simulation) sold(ctx context.Context, day models.Day) (int64, error) {
	page, err := s.server.services.Sales.DaySales(ctx, models.System("demo", ""), sales.Filter{Day: day})
	if err != nil {
		return 0, err
	}
	return page.Filtered.Sales.Count, nil
}

var simulatedBrands = []string{"VISA", "VISA", "MASTERCARD", "MASTERCARD", "AMEX", "CARNET"}

// simulatedSale is a sale for the sandbox to make.
func simulatedSale(random *rand.Rand, serial, amount string, at time.Time) map[string]any {
	return map[string]any{
		"serialNumber": serial,
		"amount":       amount,
		"soldAt":       at.Format(time.RFC3339),
		"last4":        fmt.Sprintf("%04d", random.IntN(10_000)),
		"cardBrand":    simulatedBrands[random.IntN(len(simulatedBrands))],
	}
}

// statePath is the default path of what is stored between runs. When we are root,
// PostgreSQL runs as another user, who must be able to reach it.
func statePath(name, flag string) (string, error) {
	if os.Geteuid() == 0 {
		return "/var/tmp/veinte-" + name, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the data: %w (use %s)", err, flag)
	}
	folder := filepath.Join(cache, "veinte")
	return filepath.Join(folder, name), os.MkdirAll(folder, 0o700)
}
