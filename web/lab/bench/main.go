package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/valyala/fasthttp"

	"veinte/web/lab"
	"veinte/web/lab/bench/hand"
)

// benchCommand is the command line, with how much is measured.
type benchCommand struct {
	Bin         string        `env:"VEINTE_BIN" help:"The product; built anew when not given."`
	Old         string        `help:"Another build of it, measured in turns with this one." placeholder:"FILE" type:"existingfile"`
	Rounds      int           `default:"3" help:"Rounds of each program, when two are measured."`
	JSON        bool          `help:"Print the report as JSON."`
	Sales       int           `default:"1000000" help:"Sales in the table."`
	Connections int           `default:"32" help:"Connections at once."`
	Entries     int           `default:"10000000" help:"Entries in the trail whose pages are measured."`
	Sealed      int           `default:"1000000" help:"Entries that are exported and verified."`
	Turn        time.Duration `default:"4s" help:"How long one turn of load lasts."`
	Turns       int           `default:"3" help:"Turns of each side."`
	Seconds     int           `default:"60" help:"For how many seconds entries of the trail are sealed at pace."`
	Pages       int           `default:"2000" help:"Pages open on one server while somebody clicks; 0 for none."`
	Keep        string        `help:"A folder whose database stays, for the next run to measure as it is." placeholder:"DIR"`
	Only        string        `default:"" enum:",pages,clicks,live,door,api,imports,seal,verify,trail" help:"Measure one part: ${enum}."`

	// This program also serves the hand-written handler, in a process of its own.
	Hand      string `hidden:"" help:"Serve the hand-written handler here."`
	HandPage  string `hidden:"" help:"The page it learns."`
	HandStore int64  `hidden:"" help:"Whose page it is."`
	HandDay   string `hidden:"" help:"Of which day."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var c benchCommand
	kong.Parse(&c, kong.Name("bench"), kong.UsageOnError(), kong.Description("Measure the product on this machine."))
	err := c.run(ctx)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures and prints.
func (c *benchCommand) run(ctx context.Context) error {
	if c.Hand != "" {
		return c.serveHand(ctx)
	}
	if c.Bin == "" {
		dir, err := os.MkdirTemp("", "veinte-bench-bin-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if c.Bin, err = lab.Build(ctx, dir); err != nil {
			return err
		}
	}
	b := &bench{benchCommand: *c, now: time.Now()}
	if err := b.measure(ctx); err != nil {
		return err
	}
	return b.print(os.Stdout)
}

func (c *benchCommand) serveHand(ctx context.Context) error {
	page, err := os.ReadFile(c.HandPage)
	if err != nil {
		return fmt.Errorf("read page: %w", err)
	}
	handler, err := hand.New(ctx, os.Getenv("DATABASE_URL"), page, c.HandStore, c.HandDay)
	if err != nil {
		return fmt.Errorf("hand-written handler: %w", err)
	}
	server := &fasthttp.Server{Handler: handler.Handle(c.HandStore, c.HandDay)}
	go func() {
		<-ctx.Done()
		_ = server.Shutdown()
	}()
	return server.ListenAndServe(c.Hand)
}
