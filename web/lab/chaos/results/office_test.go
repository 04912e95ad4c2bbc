package results

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// office is the receiver of the terminals' posts. It forwards sales to the product
// at once and holds everything else, until the experiment delivers it.
type office struct {
	url    string
	server *http.Server
	client *http.Client

	mu   sync.Mutex
	to   []string // the servers' results endpoints
	turn int      // index of the next
	held map[string][][]byte
}

// openOffice listens; close ends it.
func openOffice() (*office, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open office: %w", err)
	}
	o := &office{
		url:    "http://" + ln.Addr().String(),
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		held:   map[string][][]byte{},
	}
	o.server = &http.Server{Handler: o, ReadHeaderTimeout: time.Minute}
	go func() { _ = o.server.Serve(ln) }() // ends with close
	return o, nil
}

func (o *office) close() error { return o.server.Close() }

// deliversTo names the servers that get posts from now on, alternately.
func (o *office) deliversTo(doors ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = doors
}

// door returns the next server's results endpoint.
func (o *office) door() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.turn++
	return o.to[o.turn%len(o.to)]
}

// ServeHTTP accepts a terminal's post.
func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var p struct {
		OrderID, TransType string
		IsRePrint          bool
	}
	if err != nil || json.Unmarshal(body, &p) != nil {
		http.Error(w, "not a terminal's post", http.StatusBadRequest)
		return
	}
	status, answer := http.StatusOK, `{"code":"00","message":"Recibido"}`
	if p.TransType == "A" && !p.IsRePrint {
		if status, answer, err = o.post(r.Context(), o.door(), body); err != nil {
			status = http.StatusBadGateway // the servers are being started: the terminal tries again
		}
	} else {
		o.mu.Lock()
		o.held[p.OrderID] = append(o.held[p.OrderID], body)
		o.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// take returns the oldest held post of an order; nil when there is none.
func (o *office) take(order string) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := o.held[order]
	if len(waiting) == 0 {
		return nil
	}
	o.held[order] = waiting[1:]
	return waiting[0]
}

// post posts once.
func (o *office) post(ctx context.Context, door string, body []byte) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, door, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	return o.do(req)
}

func (o *office) do(req *http.Request) (status int, answer string, err error) {
	resp, err := o.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}
