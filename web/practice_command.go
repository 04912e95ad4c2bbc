package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/goroutine"
	"veinte/web/commands"
)

type practiceCommand struct {
	settings `embed:""`
	Migrate  bool   `help:"Bring the schema up to date first; DATABASE_URL must then be its owner's."`
	Ledger   string `type:"path" help:"What the sandbox remembers of its terminals and sales; keep it with the database (default: a file of this user's cache)."`
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
	c, err := p.settings.check(files.Problems)
	if err != nil {
		return err
	}
	if p.Migrate {
		if err := migrateUp(ctx, c.databaseURL, "", io.Discard); err != nil {
			return err
		}
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
	day := &practiceDay{simulation{server: s, box: box, clock: clock, results: address + "/results/" + c.resultsSecret}}
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
		in.Password = strings.ToLower(rand.Text()[:16])
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
