package cancelapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// IsSandbox refuses anything but our sandbox of the payment service. A listener on
// this machine proves nothing, because a tunnel to the real one has that too. So it
// requests something that no payment service returns.
func IsSandbox(ctx context.Context, base string) error {
	err := answersAsSandbox(ctx, strings.TrimRight(base, "/")+"/control/state")
	if err == nil {
		return nil
	}
	return fmt.Errorf("PRACTICE=on goes with the sandbox alone, and CANCEL_BASE_URL does not answer as one (%w): start veinte sandbox and "+
		"name its address, or run veinte practice, which brings its own", err)
}

func answersAsSandbox(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it said %s", resp.Status)
	}
	var state struct{ Sandbox string }
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&state); err != nil || state.Sandbox != "veinte" {
		return errors.New("what it said is not a sandbox's")
	}
	return nil
}
