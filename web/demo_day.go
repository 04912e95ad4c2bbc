package web

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/reconciliation/report"
	"veinte/models/terminals"
	entranceview "veinte/views/entrance"
)

// demoLogins are the demo's people, one per role and one for each other store.
var demoLogins = []entranceview.SampleLogin{
	{Email: "ana@tiendas.example", Password: "mostrador-2000", Role: string(models.Manager), PIN: "240613"},
	{Email: "sofia@tiendas.example", Password: "bitacora-2000", Role: string(models.Supervisor)},
	{Email: "diego@tiendas.example", Password: "terminales-2000", Role: string(models.Administrator)},
	{Email: "elena@tiendas.example", Password: "auditora-2000", Role: string(models.Auditor)},
}

// demoColleague manages the same store as the first of them: they take turns at a counter
// device.
var demoColleague = entranceview.SampleLogin{
	Email: "bruno@tiendas.example", Password: "mostrador-2001", Role: string(models.Manager), PIN: "518204",
}

// demoPeople are all of them, demoNames their names.
func demoPeople() []entranceview.SampleLogin { return append(slices.Clone(demoLogins), demoColleague) }

var demoNames = []string{"Ana Robles", "Sofía Méndez", "Diego Luna", "Elena Ríos", "Bruno Salas"}

var demoAdmin = models.Actor{Name: "demo", Role: models.Administrator, AllStores: true}

// demoShops are in three time zones.
var demoShops = &simulatedShops{
	actor: demoAdmin, serials: "14900", merchant: "90",
	stores: []terminals.StoreInput{
		{Code: "CDMX-01", Name: "Roma Norte", TimeZone: "America/Mexico_City"},
		{Code: "CUN-01", Name: "Cancún Centro", TimeZone: "America/Cancun"},
		{Code: "TIJ-01", Name: "Tijuana Río", TimeZone: "America/Tijuana"},
	},
	labels: []string{"Caja 1", "Caja 2", "Caja 3", "Mostrador"},
	shared: "Mostrador", // so that the map of terminals has some that nobody has changed yet
	ticket: func(store terminals.StoreInput) (head, city string) { return "TIENDA " + store.Code, store.Name },
}

// demoDay makes the stores, the terminals, the people, and a day of sales that
// continue to arrive.
type demoDay struct{ simulation }

// prepare makes stores, terminals and accounts. A second start makes none.
func (d *demoDay) prepare(ctx context.Context) error {
	d.server.services.Entrance.SharePeople()
	if err := d.server.services.Entrance.AskNobody(ctx, models.System("demo", "")); err != nil {
		return err
	}
	made, err := d.create(ctx, demoShops)
	if err != nil || !made {
		return err
	}
	if err := d.anomalies(ctx); err != nil {
		return err
	}
	for i, login := range demoPeople() {
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
		u, err := d.server.services.Accounts.CreateSample(ctx, models.System("demo", ""), in)
		if err == nil && login.PIN != "" {
			err = d.server.services.Counters.SetSamplePIN(ctx, models.System("demo", ""), u, login.PIN)
		}
		if err != nil {
			return err
		}
	}
	_, err = d.server.services.Reconciliation.CreateReportProfile(ctx, demoAdmin, "Proveedor de ejemplo", demoReport)
	return err
}

// oddities adds problems to the map of terminals, for the administrator's page: a
// spare terminal that never posted and has another's merchant id, an unregistered
// terminal, and a planned move. None of them makes the day's sales.
func (d *demoDay) anomalies(ctx context.Context) error {
	const last = 2 // of demoShops.stores
	dir, err := d.server.services.Terminals.Directory(ctx)
	if err != nil {
		return err
	}
	stores := dir.Visible(demoAdmin) // by code: Roma Norte, Cancún Centro, Tijuana Río
	serial, merchant := demoShops.serial(last, len(demoShops.labels)), demoShops.merchantID(last, 0)
	spare, err := d.server.services.Terminals.CreateTerminal(ctx, demoAdmin, terminals.Input{
		SerialNumber: serial, Label: "Caja de repuesto", MerchantID: merchant, StoreID: stores[last].ID,
	})
	if err != nil {
		return err
	}
	err = d.server.services.Terminals.MoveTerminal(ctx, demoAdmin, spare.ID, 1, terminals.MoveInput{
		StoreID: stores[0].ID, MerchantID: merchant,
		From: string(d.server.services.Rules.Window().Calendar.Day(d.clock.Now().AddDate(0, 0, 30))) + "T08:00",
	})
	if err != nil {
		return err
	}
	amount := models.Money(31500)
	return d.server.services.Results.Receive(ctx, models.Post{
		Kind: models.ResultSale, Body: `{"transType":"A","responseCode":"00","amount":"315.00"}`,
		SerialNumber: "1490099001", MerchantID: "909901", OrderID: "demo-1490099001", Amount: &amount,
		ResponseCode: "00", Last4: "0042", CardBrand: "VISA", Address: "127.0.0.1",
	})
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

// live registers the terminals with the service, makes the sales that the day would
// have had so far, and continues to make sales.
func (d *demoDay) live(ctx context.Context) {
	if err := d.begin(ctx); err != nil && !errors.Is(err, context.Canceled) {
		d.server.log.Error("the demo's day did not begin", "error", err)
	}
}

func (d *demoDay) begin(ctx context.Context) error {
	if err := d.register(ctx, demoShops); err != nil {
		return err
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
	today := calendar.Day(now)
	if err := d.yesterday(ctx, today); err != nil {
		return err
	}
	sold, err := d.sold(ctx, today)
	if err != nil || sold > 0 {
		return err
	}
	midnight := today.Time(calendar.Zone())
	opened := midnight.Add(9 * time.Hour)
	if now.Before(opened.Add(2 * time.Hour)) {
		opened = midnight.Add(time.Minute) // shops that never close, for a demo at night
	}
	sales := demoSales(opened, now)
	if len(sales) == 0 {
		return nil
	}
	return d.box.control(ctx, http.MethodPost, "/control/sales", sales)
}

// demoSales are the sales of a day between two times; the same day has the same sales.
func demoSales(opened, until time.Time) []map[string]any {
	random := rand.New(rand.NewPCG(uint64(opened.Unix()), 20))
	var sales []map[string]any
	for range salesBefore(until.Sub(opened)) {
		sales = append(sales, demoSale(random, opened.Add(time.Duration(random.Int64N(int64(until.Sub(opened)))))))
	}
	return sales
}

// salesBefore is the number of sales in that time: about one every four minutes over
// the three stores.
func salesBefore(open time.Duration) int { return min(int(open/(4*time.Minute)), 180) }

func demoSale(random *rand.Rand, at time.Time) map[string]any {
	// Most tickets are small; a few are not.
	pesos := 40 + random.ExpFloat64()*420
	cents := []int{0, 0, 50, 90}[random.IntN(4)]
	serial := demoShops.serial(random.IntN(len(demoShops.stores)), random.IntN(len(demoShops.labels)))
	return simulatedSale(random, serial, fmt.Sprintf("%d.%02d", int(min(pesos, 18000)), cents), at)
}
