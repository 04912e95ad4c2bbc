package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"veinte/web/lab"
)

// What holds while 5,000 strangers sign in at once, each from an address of its own.
const (
	guesses      = 5000
	clicks       = 240 // to measure: floods follow each other until there were as many
	signInWithin = 2 * time.Second
	pageWithin   = 100 * time.Millisecond // of ninety-nine in a hundred
)

// flood measures pages and clicks when it is quiet, and again with a known device's
// sign-ins during the floods.
func (s *shop) flood(ctx context.Context) error {
	manager := s.Managers[0]
	if err := manager.SignIn(ctx, s.at); err != nil { // now the device is known
		return err
	}
	var sold []*lab.Sale
	for range clicks + 20 {
		sale, err := s.Sell(ctx, lab.Sale{Terminal: 0})
		if err != nil {
			return err
		}
		sold = append(sold, sale)
	}
	quiet := s.look(ctx, sold[:20], make(chan struct{}), time.After(3*time.Second))
	quiet.print("quiet")

	over, guessed, enough := make(chan time.Time), make(chan error, 1), make(chan struct{})
	began, used := time.Now(), s.used()
	go func() {
		defer close(over)
		guessed <- floods(ctx, s.at.URL, enough)
	}()
	signIns := make(chan []time.Duration, 1)
	failed := make(chan error, 1)
	go func() { signIns <- s.signInAgain(ctx, manager, over, failed) }()
	during := s.look(ctx, sold[20:], enough, over)
	during.print("flood")
	took := <-signIns
	lasted := time.Since(began)
	fmt.Printf("flood: over after %.1f s\n", lasted.Seconds())
	s.used().since(used).print(lasted)
	fmt.Printf("flood: a known device signed in %d times, at most in %d ms\n", len(took), slices.Max(took).Milliseconds())
	machine, err := floodBare(ctx)
	if err != nil {
		return err
	}
	machine.print("flood: a server that does nothing")
	return errors.Join(during.err, <-guessed, collected(failed), s.bounds(took, during))
}

func (s *shop) bounds(took []time.Duration, during *latencies) (err error) {
	if worst := slices.Max(took); worst > signInWithin {
		err = errors.Join(err, fmt.Errorf("a known device signed in within %s, want %s", worst, signInWithin))
	}
	// The strangers are on the same cores, so this says as much of the machine as of us.
	for name, of := range map[string][]time.Duration{"pages": during.pages, "clicks": during.clicks} {
		if p99 := percentile(of, 99); p99 > pageWithin {
			fmt.Printf("flood: MISSED on this machine: p99 of %s is %d ms, want %d ms\n", name, p99.Milliseconds(), pageWithin.Milliseconds())
		}
	}
	return err
}

func collected(failed chan error) error {
	close(failed)
	return <-failed
}

// signInAgain signs a person in, again and again, from the device that is known. Of a slow
// one it says how long the connections took: the system sends the first packet of one that
// was lost again after 1, 3 and 7 s, and the server knows nothing of it.
func (s *shop) signInAgain(ctx context.Context, p *lab.Person, over <-chan time.Time, failed chan<- error) (took []time.Duration) {
	for {
		began, connected := time.Now(), &connecting{}
		if err := p.SignIn(httptrace.WithClientTrace(ctx, connected.trace()), s.at); err != nil {
			failed <- err
			return append(took, time.Since(began))
		}
		took = append(took, time.Since(began))
		if last := took[len(took)-1]; last > signInWithin {
			fmt.Printf("flood: a sign-in of %d ms connected for %d ms\n", last.Milliseconds(), connected.took.Milliseconds())
		}
		select {
		case <-over:
			return took
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// connecting is how long the connections of one sign-in took.
type connecting struct {
	mu    sync.Mutex
	began time.Time
	took  time.Duration
}

func (c *connecting) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectStart: func(string, string) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.began = time.Now()
		},
		ConnectDone: func(string, string, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.took += time.Since(c.began)
		},
	}
}

// floods has strangers come again and again until there was enough.
func floods(ctx context.Context, at string, enough <-chan struct{}) error {
	for {
		if err := strangers(ctx, at); err != nil {
			return err
		}
		select {
		case <-enough:
			return nil
		default:
		}
	}
}

// strangers is the flood, from a process of its own, whose work is not ours: it yields to the
// server's and to who measures, or has the last core for itself.
func strangers(ctx context.Context, at string) error {
	args := []string{"nice", "-n", "19", os.Args[0], "-guess", at}
	if core, apart := strangersCore(); apart {
		args = append([]string{"taskset", "-c", core}, args[3:]...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// guess has strangers sign in at once, each from an address of its own on this machine.
func guess(ctx context.Context, at string) error {
	var answers [600]atomic.Int64
	cookie, token := visit(ctx, at)
	var all sync.WaitGroup
	for i := range guesses {
		all.Go(func() {
			from := &net.TCPAddr{IP: net.IPv4(127, 1+byte(i/40000), byte(i/200), 1+byte(i%200))}
			transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: from, Timeout: time.Minute}).DialContext}
			defer transport.CloseIdleConnections()
			form := url.Values{"csrf": {token}, "email": {fmt.Sprintf("nadie%d@shop.example", i)}, "password": {"una contraseña que no es"}}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, at+"/login", strings.NewReader(form.Encode()))
			if err != nil {
				return
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Cookie", cookie)
			resp, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(req)
			if err != nil {
				answers[0].Add(1)
				return
			}
			defer resp.Body.Close()
			answers[resp.StatusCode].Add(1)
		})
	}
	all.Wait()
	fmt.Printf("flood: %d wrong sign-ins: %d refused by password, %d too many, %d no place, %d without an answer\n",
		guesses, answers[422].Load(), answers[429].Load(), answers[503].Load(), answers[0].Load())
	return nil
}

// visit opens the sign-in page, and returns its cookie and its form's token.
func visit(ctx context.Context, at string) (cookie, token string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/login", http.NoBody)
	if err != nil {
		return "", ""
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	for _, c := range resp.Cookies() {
		cookie += c.Name + "=" + c.Value + "; "
	}
	_, rest, _ := strings.Cut(string(text), `name="csrf" value="`)
	token, _, _ = strings.Cut(rest, `"`)
	return cookie, token
}

// latencies are how long answers took.
type latencies struct {
	pages, clicks []time.Duration
	err           error
}

// look opens the list and clicks on sales in turn until it is over. Once all were clicked
// on, there was enough.
func (s *shop) look(ctx context.Context, sold []*lab.Sale, enough chan<- struct{}, over <-chan time.Time) *latencies {
	l, supervisor := &latencies{}, s.Supervisor
	for n := 0; ; n++ {
		began := time.Now()
		a := supervisor.Get(ctx, s.at, "/sales")
		l.pages = append(l.pages, time.Since(began))
		if n < len(sold) && a.OK() {
			began = time.Now()
			a = supervisor.Click(ctx, s.at, sold[n].ID, fmt.Sprintf("flood-%d", sold[n].ID), true)
			l.clicks = append(l.clicks, time.Since(began))
		}
		if !a.OK() {
			l.err = a.Problem()
		}
		if n == len(sold)-1 || !a.OK() {
			close(enough)
		}
		if !a.OK() {
			return l
		}
		select {
		case <-over:
			return l
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (l *latencies) print(when string) {
	for name, of := range map[string][]time.Duration{"pages": l.pages, "clicks": l.clicks} {
		if len(of) == 0 {
			continue
		}
		fmt.Printf("%s: %d %s, p50 %d ms, p95 %d ms, p99 %d ms, longest %d ms\n", when, len(of), name,
			percentile(of, 50).Milliseconds(), percentile(of, 95).Milliseconds(), percentile(of, 99).Milliseconds(),
			percentile(of, 100).Milliseconds())
	}
}

func percentile(of []time.Duration, p int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}
