package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"veinte/models/audit/trailfile/cosign"
	tlogwitness "veinte/models/audit/witness"
	"veinte/models/goroutine"
	"veinte/models/privatefile"
)

// serve runs a witness that others ask to cosign, until ctx ends.
func (c *auditWitnessCommand) serve(ctx context.Context) error {
	switch {
	case c.URL != "" || c.Database || len(c.Key) > 0 || len(c.Compare) > 0 || c.Every != 0:
		return undecided("--listen goes with --witness-key, --log and --state alone")
	case c.WitnessKey == "":
		return undecided("--witness-key: want the private key that veinte audit keygen --witness makes")
	case len(c.Log) == 0:
		return undecided("--log: want the public key of a trail that may ask")
	}
	signer, err := witnessKey(c.WitnessKey)
	if err != nil {
		return undecided("--witness-key %s: %w", c.WitnessKey, err)
	}
	w, err := tlogwitness.Open(tlogwitness.Config{
		Signer: signer, Trails: c.Log, Dir: c.State, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return undecided("%w", err)
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return errors.Join(undecided("--listen: %w", err), w.Close())
	}
	fmt.Printf("witness %s\nlistening on http://%s\n", w.Public(), listener.Addr())
	return errors.Join(serveUntil(ctx, listener, w.Handler()), w.Close())
}

// serveUntil answers on a listener until ctx ends, and then what was asked before.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := goroutine.Result(nil, "serving the witness", func() error { return server.Serve(listener) })
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(rest)
}

// witnessKey reads the private key of a witness: a line of a file that is closed to others.
func witnessKey(path string) (*cosign.Signer, error) {
	text, err := privatefile.Read(path, 64<<10)
	if err != nil {
		return nil, err
	}
	return cosign.NewSigner(strings.TrimSpace(string(text)))
}
