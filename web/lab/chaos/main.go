// Command chaos runs the experiments that try to make the product lose, repeat
// or contradict something: `go run ./chaos clicks --seed 7`, in this module. Each is
// a package below this one; web/lab is what they are done in. It prints the
// seed first, then a report, and ends with 1 if the product did wrong, with 2
// if the experiment itself could not be done.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"veinte/web/lab"
	"veinte/web/lab/chaos/clicks"
	"veinte/web/lab/chaos/crash"
	"veinte/web/lab/chaos/network"
	"veinte/web/lab/chaos/outage"
	"veinte/web/lab/chaos/results"
	"veinte/web/lab/chaos/seal"
)

// experiments is the command line: every experiment with its flags.
type experiments struct {
	Seed uint64 `help:"Of every random choice; 0 draws one, which is printed."`
	Bin  string `env:"VEINTE_CHAOS_BIN" help:"The product, built with -tags chaos; built anew when not given."`
	JSON bool   `help:"Print reports as JSON."`

	Crash   crash.Experiment   `cmd:"" help:"Servers and PostgreSQL are killed at the worst moments, under load."`
	Clicks  clicks.Experiment  `cmd:"" help:"Many people press the button of the same sale at once."`
	Cutoff  cutoffExperiment   `cmd:"" help:"Cancellations race for the cut-off, with clocks that differ."`
	Outage  outage.Experiment  `cmd:"" help:"The database, the right to the trail and the disk's room go away and come back."`
	Network network.Experiment `cmd:"" help:"The network and the service do fourteen kinds of harm to requests on their way."`
	Results results.Experiment `cmd:"" help:"What terminals post comes twice, early, late, swapped, forged, wrong, or from a fuzzer."`
	Seal    seal.Experiment    `cmd:"" help:"Whoever seals the trail is killed, and PostgreSQL with it, in the middle of it."`
	All     struct{}           `cmd:"" help:"Every experiment, one after the other, in its long version."`
	Shop    shop               `cmd:"" help:"No experiment: a shop with several servers, open until its standard input ends."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	var cli experiments
	parser, err := kong.New(&cli, kong.Name("chaos"), kong.UsageOnError(),
		kong.Description("Experiments that try to make veinte lose, repeat or contradict something."))
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 2
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		parser.Errorf("%s", err)
		return 2
	}
	chosen := []*kong.Node{parsed.Selected()}
	if parsed.Command() == "all" {
		chosen = parser.Model.Children
	}
	if err := cli.carryOut(ctx, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		if errors.Is(err, lab.ErrViolated) {
			return 1
		}
		return 2
	}
	return 0
}

// carryOut runs the experiments in turn. One that finds something does not keep
// the others from being done.
func (cli *experiments) carryOut(ctx context.Context, chosen []*kong.Node) error {
	setup := lab.Setup{Bin: cli.Bin, Seed: cli.Seed, Progress: func(what string) { fmt.Fprintln(os.Stderr, what) }}
	for setup.Seed == 0 {
		setup.Seed = uint64(rand.Uint32())
	}
	fmt.Fprintln(os.Stderr, "seed", setup.Seed)
	if setup.Bin == "" {
		dir, err := os.MkdirTemp("", "veinte-chaos-bin-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if setup.Bin, err = lab.Build(ctx, dir, "-tags", "chaos"); err != nil {
			return err
		}
	}
	var errs []error
	for _, node := range chosen {
		if s, ok := node.Target.Addr().Interface().(*shop); ok && len(chosen) == 1 {
			return s.keepOpen(ctx, setup)
		}
		x, ok := node.Target.Addr().Interface().(lab.Experiment)
		if !ok {
			continue // all itself
		}
		report, err := x.Run(ctx, setup)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", node.Name, err))
			continue
		}
		if err := cli.print(report); err != nil {
			return err
		}
		errs = append(errs, report.Err())
	}
	return errors.Join(errs...)
}

func (cli *experiments) print(r *lab.Report) error {
	if cli.JSON {
		return r.JSON(os.Stdout)
	}
	r.Text(os.Stdout)
	return nil
}
