package web

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/reconciliation/report"
	"veinte/models/sales"
	"veinte/models/terminals"
	entranceview "veinte/views/entrance"
)

// demoLogins are the demo's people, one per role and one for each other store.
var demoLogins = []entranceview.SampleLogin{
	{Email: "ana@tiendas.example", Password: "mostrador-2000", Role: string(models.Manager)},
	{Email: "sofia@tiendas.example", Password: "bitacora-2000", Role: string(models.Supervisor)},
	{Email: "diego@tiendas.example", Password: "terminales-2000", Role: string(models.Administrator)},
	{Email: "elena@tiendas.example", Password: "auditora-2000", Role: string(models.Auditor)},
}

var demoNames = []string{"Ana Robles", "Sofía Méndez", "Diego Luna", "Elena Ríos"}

// demoStores are in three time zones; each has four terminals.
var demoStores = []terminals.StoreInput{
	{Code: "CDMX-01", Name: "Roma Norte", TimeZone: "America/Mexico_City"},
	{Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun"},
	{Code: "TIJ-01", Name: "Tijuana Río", TimeZone: "America/Tijuana"},
}

var demoLabels = []string{"Caja 1", "Caja 2", "Caja 3", "Mostrador"}

// demoDay makes the stores, the terminals, the people, and a day of sales that
// continue to arrive. It uses the product's own interfaces for all of them.
type demoDay struct {
	server      *server
	box         *sandboxProcess
	clock       models.Clock
	responseURL string
}

// people makes the missing accounts. A second start makes none.
func (d *demoDay) people(ctx context.Context) error {
	dir, err := d.server.services.Terminals.Directory(ctx)
	if err != nil {
		return err
	}
	if len(dir.Stores) > 0 {
		return nil
	}
	setup := models.System("demo", "")
	admin := models.Actor{Name: "demo", Role: models.Administrator, AllStores: true}
	for s, store := range demoStores {
		made, err := d.server.services.Terminals.CreateStore(ctx, admin, store)
		if err != nil {
			return err
		}
		for t, label := range demoLabels {
			_, err := d.server.services.Terminals.CreateTerminal(ctx, admin, terminals.Input{
				SerialNumber: demoSerial(s, t), Label: label, MerchantID: demoMerchant(s, t), StoreID: made.ID,
			})
			if err != nil {
				return err
			}
		}
	}
	if err := d.oddities(ctx, admin); err != nil {
		return err
	}
	for i, login := range demoLogins {
		in := accounts.Input{
			Email: login.Email, Name: demoNames[i], Password: login.Password,
			Role: models.Role(login.Role), AllStores: login.Role != string(models.Manager),
		}
		if login.Role == string(models.Manager) {
			in.StoreIDs = []int64{1}
		}
		if login.Role == string(models.Auditor) { // an auditor's access has an end date
			in.AccessUntil = string(d.server.services.Rules.Window().Calendar.Day(d.clock.Now().AddDate(0, 3, 0)))
		}
		if _, err := d.server.services.Accounts.CreateUser(ctx, setup, in); err != nil {
			return err
		}
	}
	_, err = d.server.services.Reconciliation.CreateReportProfile(ctx, admin, "Proveedor de ejemplo", demoReport)
	return err
}

// demoReport maps the columns of the daily report that the sandbox prints at
// /control/report.
var demoReport = report.Mapping{
	Columns: map[report.Field]string{
		report.FieldOrderID: "Número de orden", report.FieldSerialNumber: "Terminal", report.FieldMerchantID: "Afiliación",
		report.FieldStatus: "Operación", report.FieldAmount: "Importe", report.FieldSoldAt: "Fecha", report.FieldHour: "Hora",
		report.FieldFolio: "Folio", report.FieldAuthCode: "Autorización", report.FieldLast4: "Tarjeta",
	},
	Words: map[string]report.Meaning{
		"VENTA": report.MeansSale, "CANCELACIÓN": report.MeansCancellation, "DECLINADA": report.MeansDeclined,
	},
	Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: "America/Mexico_City",
}

func demoSerial(store, terminal int) string { return fmt.Sprintf("14900%02d%03d", store+1, terminal+1) }

func demoMerchant(store, terminal int) string { return fmt.Sprintf("90%02d%02d", store+1, terminal+1) }

// live registers the terminals with the service, makes the sales that the day would
// have had so far, and continues to make sales.
func (d *demoDay) live(ctx context.Context) {
	if err := d.begin(ctx); err != nil && !errors.Is(err, context.Canceled) {
		d.server.log.Error("the demo's day did not begin", "error", err)
	}
}

func (d *demoDay) begin(ctx context.Context) error {
	err := d.box.control(ctx, http.MethodPut, "/control/config", map[string]any{"responseURL": d.responseURL})
	if err != nil {
		return err
	}
	for s, store := range demoStores {
		for t := range demoLabels {
			err := d.box.control(ctx, http.MethodPut, "/control/terminals/"+demoSerial(s, t), map[string]any{
				"merchantId": demoMerchant(s, t), "storeName": "TIENDA " + store.Code, "city": store.Name,
			})
			if err != nil {
				return err
			}
		}
	}
	if err := d.morning(ctx); err != nil {
		return err
	}
	return d.box.control(ctx, http.MethodPost, "/control/live", map[string]any{"every": "9s", "always": true})
}

// morning makes the sales since the shops opened, once a day. Each is posted by its
// terminal.
func (d *demoDay) morning(ctx context.Context) error {
	now := d.clock.Now()
	calendar := d.server.services.Rules.Window().Calendar
	page, err := d.server.services.Sales.DaySales(ctx, models.System("demo", ""), sales.Filter{Day: calendar.Day(now)})
	if err != nil || page.Filtered.Sales.Count > 0 {
		return err
	}
	midnight := calendar.Day(now).Time(calendar.Zone())
	opened := midnight.Add(9 * time.Hour)
	if now.Before(opened.Add(2 * time.Hour)) {
		opened = midnight.Add(time.Minute) // shops that never close, for a demo at night
	}
	random := rand.New(rand.NewPCG(uint64(midnight.Unix()), 20)) // the same day gives the same sales
	var sales []map[string]any
	for range salesBefore(now.Sub(opened)) {
		sales = append(sales, demoSale(random, opened.Add(time.Duration(random.Int64N(int64(now.Sub(opened)))))))
	}
	if len(sales) == 0 {
		return nil
	}
	return d.box.control(ctx, http.MethodPost, "/control/sales", sales)
}

// salesBefore is the number of sales in that time: about one every four minutes over
// the three stores.
func salesBefore(open time.Duration) int { return min(int(open/(4*time.Minute)), 180) }

var demoBrands = []string{"VISA", "VISA", "MASTERCARD", "MASTERCARD", "AMEX", "CARNET"}

func demoSale(random *rand.Rand, at time.Time) map[string]any {
	// Most tickets are small; a few are not.
	pesos := 40 + random.ExpFloat64()*420
	cents := []int{0, 0, 50, 90}[random.IntN(4)]
	return map[string]any{
		"serialNumber": demoSerial(random.IntN(len(demoStores)), random.IntN(len(demoLabels))),
		"amount":       fmt.Sprintf("%d.%02d", int(min(pesos, 18000)), cents),
		"soldAt":       at.Format(time.RFC3339),
		"last4":        fmt.Sprintf("%04d", random.IntN(10000)),
		"cardBrand":    demoBrands[random.IntN(len(demoBrands))],
	}
}
