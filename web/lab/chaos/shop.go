package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"veinte/web/lab"
)

// shop is `chaos shop`: the laboratory with nobody in it, for browsers.
type shop struct {
	Servers int `default:"2" help:"Processes of the product on the one database."`
}

// opened is what it prints when the doors are open, as one line of JSON.
type opened struct {
	Servers  []string // their addresses
	Sandbox  string   // where the service and its terminals are told what to do
	Serials  []string // of the terminals, which all post to the last server
	Manager  credentials
	Overseer credentials // the supervisor
}

type credentials struct{ Email, Password string }

// keepOpen runs it until whoever started it closes its input, or goes.
func (x *shop) keepOpen(ctx context.Context, setup lab.Setup) (err error) {
	l, err := lab.Start(ctx, lab.Options{
		Setup: setup, Managers: 1,
		// A browser sees what is under way before it ends.
		ResultDelay: time.Second,
		Settings:    []string{"CANCEL_TIMEOUT=30s", "RESULT_WAIT=30s", "QUIET_TIME=30s"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	told := opened{Sandbox: l.Box.URL}
	var last *lab.Server
	for range max(x.Servers, 1) {
		if last, err = l.Serve(ctx); err != nil {
			return err
		}
		told.Servers = append(told.Servers, last.URL)
	}
	if err := l.PostResultsTo(ctx, last); err != nil {
		return err
	}
	for i := range l.Terminals() {
		told.Serials = append(told.Serials, l.Serial(i))
	}
	told.Manager.Email, told.Manager.Password = l.Managers[0].Login()
	told.Overseer.Email, told.Overseer.Password = l.Supervisor.Login()
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return nil
}
