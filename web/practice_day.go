package web

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/goroutine"
	"veinte/models/terminals"
	"veinte/web/commands"
)

// practiceDay makes what people practice on: stores, terminals, and every day sales
// that can be canceled.
type practiceDay struct{ simulation }

// practiceAdmin is the actor that makes the stores and the terminals.
var practiceAdmin = models.Actor{Name: "practice", Role: models.Administrator, AllStores: true}

// practiceTills are the terminals of each store. Each always handles a cancellation
// in the same way and is named after it, so that the user can choose what to
// practice.
var practiceTills = []struct {
	label string
	fault map[string]any // of the sandbox; nil: no fault
}{
	{"Caja 1", nil},
	{"Caja 2 (rechaza)", map[string]any{"fault": "declined"}},
	{"Caja 3 (no contesta)", map[string]any{"fault": "dropAfterReading", "acts": false}},
	{"Caja 4 (tarda)", map[string]any{"fault": "lateResult"}},
}

var practiceShops = &simulatedShops{
	actor: practiceAdmin, serials: "14800", merchant: "80",
	stores: []terminals.StoreInput{
		{Code: "PRACTICA-1", Name: "Tienda de práctica", TimeZone: "America/Mexico_City"},
		{Code: "PRACTICA-2", Name: "Otra tienda de práctica", TimeZone: "America/Cancun"},
	},
	labels: []string{practiceTills[0].label, practiceTills[1].label, practiceTills[2].label, practiceTills[3].label},
	ticket: func(store terminals.StoreInput) (head, city string) { return store.Name, store.Code },
}

// live registers the terminals and their faults with the sandbox, and makes each
// day's sales until ctx ends.
func (d *practiceDay) live(ctx context.Context) {
	report := func(what string, err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			d.server.log.Error(what, "error", err)
		}
	}
	report("the terminals of the practice are not set up", d.setUp(ctx))
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	begun := models.Day("")
	for {
		if today := d.server.services.Rules.Window().Calendar.Day(d.clock.Now()); today != begun {
			err := d.sales(ctx, today)
			if err == nil {
				begun = today
			}
			report("today has no sales to practise on yet", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-minute.C:
		}
	}
}

func (d *practiceDay) setUp(ctx context.Context) error {
	err := d.box.control(ctx, http.MethodDelete, "/control/faults", nil)
	if err = errors.Join(err, d.register(ctx, practiceShops)); err != nil {
		return err
	}
	for s := range practiceShops.stores {
		for t, till := range practiceTills {
			if till.fault == nil {
				continue
			}
			rule := map[string]any{"serialNumber": practiceShops.serial(s, t), "times": -1}
			maps.Copy(rule, till.fault)
			if err := d.box.control(ctx, http.MethodPost, "/control/faults", rule); err != nil {
				return err
			}
		}
	}
	return d.box.control(ctx, http.MethodPost, "/control/live", map[string]any{"every": "2m", "always": true})
}

// salesPerTill is enough for a shift of practice.
const salesPerTill = 8

// sales makes a day's sales, once. Each is posted by its terminal.
func (d *practiceDay) sales(ctx context.Context, today models.Day) error {
	sold, err := d.sold(ctx, today)
	if err != nil || sold >= int64(len(practiceShops.stores)*len(practiceTills)) {
		return err
	}
	now := d.clock.Now()
	open := min(8*time.Hour, now.Sub(today.Time(d.server.services.Rules.Window().Calendar.Zone())))
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	var made []map[string]any
	for s := range practiceShops.stores {
		for t := range practiceTills {
			for range salesPerTill {
				amount := fmt.Sprintf("%d.%02d", 40+random.IntN(2400), 50*random.IntN(2))
				at := now.Add(-time.Duration(random.Int64N(int64(max(open, time.Second)))))
				made = append(made, simulatedSale(random, practiceShops.serial(s, t), amount, at))
			}
		}
	}
	return d.box.control(ctx, http.MethodPost, "/control/sales", made)
}

type practiceCommand struct {
	serveCommand `embed:""`
	Ledger       string `type:"path" help:"What the sandbox remembers of its terminals and sales; keep it with the database (default: a file of this user's cache)."`
}

// Run serves a practice installation: the server, a sandbox of its own, and every
// day sales that can be canceled, until ctx ends.
func (p *practiceCommand) Run(ctx context.Context, files *commands.SecretFiles) error {
	if p.CancelBaseURL != "" || p.TokenURL != "" {
		return errors.New("veinte practice brings its own sandbox: leave CANCEL_BASE_URL and TOKEN_URL out, or run veinte serve with " +
			"PRACTICE=on")
	}
	if p.Ledger == "" {
		var err error
		if p.Ledger, err = statePath("practice.jsonl", "--ledger"); err != nil {
			return err
		}
	}
	secrets := newDemoSecrets()
	box, err := startSandbox(secrets, p.Ledger, 0)
	if err != nil {
		return err
	}
	defer box.stop()
	p.Practice, p.PracticeURL = "on", ""
	p.useSandbox(box.url, secrets)
	c, err := p.prepare(ctx, files)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fmt.Errorf("ADDR: %w", err)
	}
	if err := p.serve(ctx, ln, c, box); err != nil {
		return errors.Join(err, closed(ln))
	}
	return nil
}

// closed closes a listener that the server may have closed before.
func closed(ln net.Listener) error {
	if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func (p *practiceCommand) serve(ctx context.Context, ln net.Listener, c *checked, box *sandboxProcess) error {
	clock := models.ShiftedClock(0)
	s, err := newServer(ctx, c, clock, nil)
	if err != nil {
		return err
	}
	address := "http://" + reachable(ln.Addr().String())
	day := &practiceDay{simulation{server: s, box: box, clock: clock, base: address}}
	if _, err := day.create(ctx, practiceShops); err != nil {
		return err
	}
	accounts, err := day.people(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n  Veinte, to practise: %s\n  Nothing here moves money. The sandbox: %s (it remembers in %s)\n\n",
		address, box.url, p.Ledger)
	for _, a := range accounts {
		fmt.Printf("  %-14s %-32s %s\n", a.Role, a.Email, a.Password)
	}
	if len(accounts) > 0 {
		fmt.Print("\n  These passwords are shown once. veinte user create makes other accounts.\n\n")
	}
	goroutine.Go(c.log, "living the day of practice", func() { day.live(ctx) })
	return s.run(ctx, ln)
}

// reachable returns the address at which the sandbox, on this machine, reaches a
// listener.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// practicePeople are created in an empty installation: one for each role that has
// something to learn here.
var practicePeople = []accounts.Input{
	{Email: "encargado@practica.example", Name: "Encargado de práctica", Role: models.Manager},
	{Email: "supervision@practica.example", Name: "Supervisión de práctica", Role: models.Supervisor, AllStores: true},
	{Email: "administracion@practica.example", Name: "Administración de práctica", Role: models.Administrator, AllStores: true},
}

// people creates one account per role if there are no accounts, and returns them
// with their passwords.
func (d *practiceDay) people(ctx context.Context) ([]accounts.Input, error) {
	setup := models.System("practice", "")
	if err := d.server.services.Entrance.AskNobody(ctx, setup); err != nil {
		return nil, err
	}
	there, err := d.server.services.Accounts.Users(ctx, practiceAdmin)
	if err != nil || len(there) > 0 {
		return nil, err
	}
	dir, err := d.server.services.Terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	var made []accounts.Input
	for _, in := range practicePeople {
		in.Password = strings.ToLower(cryptorand.Text()[:16])
		if !in.AllStores {
			in.StoreIDs = []int64{dir.Visible(practiceAdmin)[0].ID}
		}
		if _, err := d.server.services.Accounts.CreateUser(ctx, setup, in); err != nil {
			return nil, err
		}
		made = append(made, in)
	}
	return made, nil
}
