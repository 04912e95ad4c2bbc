package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"veinte/models"
	"veinte/models/goroutine"
	"veinte/models/localpg"
	"veinte/web/till"
)

type demoCommand struct {
	Addr  string `default:"127.0.0.1:8020" help:"Where to open it."`
	Data  string `type:"path" help:"Where its data lives (default: a folder of this user's cache)."`
	At    string `help:"Begin at another instant, such as 2026-11-20T19:59:00-06:00; the payment service's clock follows."`
	Quiet bool   `help:"Print no log."`
}

// Run starts everything on this machine and serves until ctx ends.
func (d *demoCommand) Run(ctx context.Context) error {
	offset, err := d.offset()
	if err != nil {
		return err
	}
	if d.Data == "" {
		if d.Data, err = statePath("demo", "--data"); err != nil {
			return err
		}
	}
	// This comes first, so that a taken address does not cost a database start.
	ln, err := net.Listen("tcp", d.Addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	fmt.Fprintln(os.Stderr, "starting PostgreSQL in", d.Data)
	pg, err := localpg.Start(ctx, localpg.Options{Dir: filepath.Join(d.Data, "postgres")})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	err = errors.Join(d.serve(ctx, ln, pg, offset), closed(ln))
	stop, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(err, pg.Stop(stop))
}

// offset is the difference between the demo's clock and the real one.
func (d *demoCommand) offset() (time.Duration, error) {
	if d.At == "" {
		return 0, nil
	}
	at, err := time.Parse(time.RFC3339, d.At)
	if err != nil {
		return 0, fmt.Errorf("--at: %q is no instant; want one such as 2026-11-20T19:59:00-06:00", d.At)
	}
	if at.Year() < 2000 || at.Year() > 2100 {
		return 0, fmt.Errorf("--at: %q is outside 2000 to 2100", d.At)
	}
	return time.Until(at), nil
}

func (d *demoCommand) serve(ctx context.Context, ln net.Listener, pg *localpg.Server, offset time.Duration) error {
	if err := prepareDatabase(ctx, pg, offset); err != nil {
		return err
	}
	relayKey, err := demoKey(filepath.Join(d.Data, "relay.key"), newRelayKey)
	if err != nil {
		return err
	}
	if _, err := demoKey(d.auditKey(), newAuditKey); err != nil {
		return err
	}
	if _, err := demoKey(d.resultsKeys(), newRelayKey); err != nil {
		return err
	}
	secrets := newDemoSecrets()
	box, err := startSandbox(secrets, filepath.Join(d.Data, "sandbox.jsonl"), offset)
	if err != nil {
		return err
	}
	defer box.stop()
	settings := d.settings(pg, relayKey, ln.Addr().String())
	settings.useSandbox(box.url, secrets)
	c, err := settings.check(nil)
	if err != nil {
		return err
	}
	if d.Quiet {
		c.log = slog.New(slog.DiscardHandler)
	}
	clock := models.ShiftedClock(offset)
	s, err := newServer(ctx, c, clock, demoPeople())
	if err != nil {
		return err
	}
	day := &demoDay{simulation{server: s, box: box, clock: clock, base: "http://" + ln.Addr().String()}}
	if err := day.prepare(ctx); err != nil {
		return err
	}
	its, err := till.New(ctx, till.Config{
		Services: s.services, Clock: clock, Logger: c.log, Admin: demoAdmin,
		StoreCode: demoShops.stores[0].Code, URL: day.base + "/api/v1/sales",
	})
	if err != nil {
		return err
	}
	goroutine.Go(c.log, "living the demo's day", func() { day.live(ctx) })
	goroutine.Go(c.log, "telling the demo's tickets", func() { its.Work(ctx) })
	printDemo(os.Stdout, ln.Addr().String(), box.url, d.Data, clock)
	return s.run(ctx, ln)
}

// settings returns the settings of a server that uses the demo's own database.
func (d *demoCommand) settings(pg *localpg.Server, relayKey, addr string) *settings {
	return &settings{
		DatabaseURL: pg.DSN("veinte", "veinte_app"), Addr: addr,
		CancelTimeout: "30s", CancelAck: "sent", RelayKey: relayKey, DeliveryAllowPrivate: "true",
		ResultsKeysFile: d.resultsKeys(),
		AuditKeyFile:    d.auditKey(), AuditCheckpointDir: filepath.Join(d.Data, "checkpoints"),
		ResultWait: "180s", QuietTime: "180s", Cutoff: "20:00", CutoffZone: "America/Mexico_City", CutoffMargin: "5s",
		LogLevel: "info", LogFormat: "text",
	}
}

// auditKey is the path of the key that signs the demo's trail.
func (d *demoCommand) auditKey() string { return filepath.Join(d.Data, "audit.key") }

// resultsKeys is the path of the key that makes the demo's terminals their addresses.
func (d *demoCommand) resultsKeys() string { return filepath.Join(d.Data, "results.keys") }

// printDemo prints the addresses and the logins.
func printDemo(out io.Writer, addr, box, data string, clock models.ShiftedClock) {
	fmt.Fprintf(out, "\n  Veinte    http://%s\n\n", addr)
	for _, l := range demoLogins {
		fmt.Fprintf(out, "  %-14s %-24s %s\n", l.Role, l.Email, l.Password)
	}
	fmt.Fprintf(out, "\n  The payment service and its terminals, as a line for a shell (what they received: %s):\n",
		filepath.Join(data, "sandbox.jsonl"))
	fmt.Fprintf(out, "  SANDBOX=%s\n", box)
	fmt.Fprintf(out, "  The provider's report of today, to reconcile: %s/control/report\n", box)
	if zone, err := time.LoadLocation("America/Mexico_City"); err == nil {
		local := clock.Now().In(zone)
		fmt.Fprintf(out, "  It is %s in Mexico City.", local.Format("15:04"))
		if local.Hour() >= 20 {
			evening := time.Date(local.Year(), local.Month(), local.Day(), 19, 40, 0, 0, zone)
			fmt.Fprintf(out, " The cut-off has passed; to try it before: --at %s", evening.Format(time.RFC3339))
		}
		fmt.Fprintln(out)
	}
	printShift(out, clock)
	fmt.Fprint(out, "  Ctrl-C stops everything; the data stays.\n\n")
}

// printShift says what goes by the clock of a demo at another instant and what does
// not, and gives the commands of the documentation a time of its day.
func printShift(out io.Writer, clock models.ShiftedClock) {
	if clock.Shift().Abs() < time.Second {
		return
	}
	now := clock.Now()
	fmt.Fprintf(out, "\n  This demo's clock is not this machine's: here it is %s. Pages, keys, the service, its tokens and what is in\n",
		now.UTC().Format(time.RFC3339))
	fmt.Fprint(out, "  the messages of webhooks go by it. The header webhook-timestamp is the real time, because receivers compare it with\n")
	fmt.Fprint(out, "  theirs. For the commands of the documentation, a time of this demo's day as a line for a shell:\n")
	fmt.Fprintf(out, "  SOLD_AT=%s\n", now.UTC().Format(time.RFC3339))
}
