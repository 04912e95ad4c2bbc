package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/wiring"
)

const (
	// maxAnswer limits how much of a response is read: a checkpoint has some
	// hundred bytes, a proof some thousand.
	maxAnswer = 1 << 20
	// answerTime is the timeout of a request.
	answerTime = 30 * time.Second
)

// remoteTrail is a source that is queried over HTTP.
type remoteTrail struct {
	base   string
	key    string
	client *http.Client
}

// serverSource returns a source that queries a server. Without https an eavesdropper
// could read the key, so plain http is allowed for this machine only.
func serverSource(base, key string) (witnessSource, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, undecided("--url: want https://host, with a path at most")
	}
	local := u.Hostname() == "localhost"
	if ip := net.ParseIP(u.Hostname()); ip != nil {
		local = ip.IsLoopback()
	}
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return nil, undecided("--url: want https; plain http is for this machine alone")
	case key == "":
		return nil, undecided("VEINTE_API_KEY is not set: it is an API key of the scope audit:checkpoint")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	return &remoteTrail{strings.TrimSuffix(base, "/"), key, &http.Client{
		Transport: transport, Timeout: answerTime,
		// Redirects are not followed, so that the key goes to no other server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (r *remoteTrail) close() { r.client.CloseIdleConnections() }

func (r *remoteTrail) checkpoint(ctx context.Context) (string, error) {
	var answer struct {
		Note string `json:"note"`
	}
	if _, err := r.get(ctx, "/api/v1/audit/checkpoint", &answer); err != nil {
		return "", fmt.Errorf("ask for the checkpoint: %w", err)
	}
	return answer.Note, nil
}

func (r *remoteTrail) consistency(ctx context.Context, from, to int64) (tlog.TreeProof, error) {
	var answer struct {
		Proof []string `json:"proof"`
	}
	status, err := r.get(ctx, fmt.Sprintf("/api/v1/audit/consistency?from=%d&to=%d", from, to), &answer)
	if status == http.StatusConflict || status == http.StatusUnprocessableEntity {
		// The server states that there is none. Other errors only mean that it could
		// not respond.
		return nil, fmt.Errorf("%w: %w", errNoProof, err)
	}
	if err != nil {
		return nil, err
	}
	proof := make(tlog.TreeProof, len(answer.Proof))
	for i, text := range answer.Proof {
		if proof[i], err = tlog.ParseHash(text); err != nil {
			return nil, fmt.Errorf("%w: a hash in it is none", errNoProof)
		}
	}
	return proof, nil
}

// get requests a JSON object. It returns the status of a response that is none.
func (r *remoteTrail) get(ctx context.Context, path string, into any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	resp, err := r.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("the answer broke off: %w", err)
	case len(text) > maxAnswer:
		return 0, fmt.Errorf("the answer is longer than %d bytes: this is no checkpoint", maxAnswer)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return 0, fmt.Errorf("the server answered %d, to another address; redirects are not followed, name the right one", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		var problem struct{ Code string }
		_ = json.Unmarshal(text, &problem) // without a problem document the status is shown
		if strings.Trim(problem.Code, "abcdefghijklmnopqrstuvwxyz-") != "" {
			problem.Code = "" // other text of a foreign server must not reach the terminal
		}
		text := fmt.Sprintf("the server answered %d %s %s", resp.StatusCode, http.StatusText(resp.StatusCode),
			problem.Code[:min(len(problem.Code), 40)])
		return resp.StatusCode, errors.New(strings.TrimSpace(text))
	}
	if err := json.Unmarshal(text, into); err != nil {
		return 0, errors.New("the answer is not what the API of Veinte says")
	}
	return 0, nil
}

// localTrail is a source that reads the database directly.
type localTrail struct{ db *database.DB }

func databaseSource(ctx context.Context, dsn string) (witnessSource, error) {
	db, err := database.Open(ctx, database.DBConfig{URL: dsn, Application: "veinte witness", MaxConns: 2})
	if err != nil {
		return nil, undecided("%w", err)
	}
	return localTrail{db}, nil
}

func (l localTrail) close() { l.db.Close() }

func (l localTrail) checkpoint(ctx context.Context) (string, error) {
	c, err := wiring.Over(l.db).Sealing.LatestCheckpoint(ctx)
	if err != nil {
		return "", err
	}
	if c == nil {
		return "", errors.New("nothing was ever sealed")
	}
	return c.Note, nil
}

func (l localTrail) consistency(ctx context.Context, from, to int64) (tlog.TreeProof, error) {
	proof, err := wiring.Over(l.db).Sealing.ProveConsistency(ctx, from, to)
	if errors.Is(err, sealing.ErrTreeIncomplete) {
		err = fmt.Errorf("%w: %w", errNoProof, err)
	}
	return proof, err
}
