package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// delivery is one post on its way to the response URL.
type delivery struct {
	event         string // sale, cancel, reprint, manual
	order, serial string
	request       int64 // the ledger line of the request that caused it; 0: none
	body          []byte
}

var errNoResponseURL = errors.New("no response URL is set")

// newPoster returns the terminals' HTTP client. It connects to loopback addresses
// only, whatever a URL says: this program must never reach a real system.
func newPoster() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); err != nil || !ip.IsLoopback() {
			return fmt.Errorf("%s is not a loopback address", address)
		}
		return nil
	}}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 8},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       15 * time.Second,
	}
}

// checkResponseURL accepts "" and http URLs on this machine.
func checkResponseURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("response URL: %w", err)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() != "localhost" && !ip.IsLoopback() {
		return fmt.Errorf("response URL %q is not http on a loopback address", u.Redacted())
	}
	return nil
}

// deliver posts until a try succeeds or the limit is reached, as with the terminal's
// Retry button. It returns whether one succeeded.
func (s *Sandbox) deliver(d delivery) bool {
	return s.tryPost(d, 1) || s.retry(d)
}

// postOrRetry posts once and reports whether that succeeded. More tries go on in the
// background, so that the caller does not wait for a receiver that is down.
func (s *Sandbox) postOrRetry(d delivery) bool {
	delivered := s.tryPost(d, 1)
	if !delivered {
		s.start(func() { s.retry(d) })
	}
	return delivered
}

// retry makes the tries after the first.
func (s *Sandbox) retry(d delivery) bool {
	for attempt := 2; ; attempt++ {
		c := s.settings.get()
		if s.responseURL(d.serial) == "" || attempt > c.RetryMax || !wait(s.ctx, time.Duration(c.RetryEvery)) {
			s.logger.Warn("post given up", "event", d.event, "order", d.order, "attempts", attempt-1)
			return false
		}
		if s.tryPost(d, attempt) {
			return true
		}
	}
}

// tryPost posts once, records it, and reports whether it succeeded: a terminal
// requires HTTP 200 with code 00.
func (s *Sandbox) tryPost(d delivery, attempt int) bool {
	target := s.responseURL(d.serial)
	line := entry{
		Kind: kindPost, Event: d.event, OrderID: d.order, SerialNumber: d.serial, Of: d.request,
		Attempt: attempt, URL: target, Body: string(d.body),
	}
	status, answer, err := s.send(target, d.body)
	line.Status, line.Answer = status, answer
	var got code
	if err == nil && (status != http.StatusOK || json.Unmarshal([]byte(answer), &got) != nil || got.Code != "00") {
		err = errors.New("answer is not 200 with code 00")
	}
	if err != nil {
		line.Error = err.Error()
	}
	s.note(&line)
	return err == nil
}

// responseURL is where a terminal posts.
func (s *Sandbox) responseURL(serial string) string {
	if t, ok := s.registry.terminal(serial); ok && t.ResponseURL != "" {
		return t.ResponseURL
	}
	return s.settings.get().ResponseURL
}

func (s *Sandbox) send(target string, body []byte) (int, string, error) {
	if target == "" {
		return 0, "", errNoResponseURL
	}
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "veinte-sandbox-terminal")
	response, err := s.poster.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	return response.StatusCode, string(answer), err
}
