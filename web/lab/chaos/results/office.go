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

// office is where terminals post. It passes sales on to the product at once and
// holds everything else, until the experiment delivers it.
type office struct {
	url    string
	server *http.Server
	client *http.Client

	mu      sync.Mutex
	to      []string          // the servers' doors
	turn    int               // whose turn it is
	folios  map[string]string // order numbers by folio, for posts that name no order
	held    map[string][]*post
	through map[string]bool // orders of which everything is passed on
	closed  map[string]bool // orders of which sales are held too
	marks   int
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
		folios: map[string]string{}, held: map[string][]*post{}, through: map[string]bool{}, closed: map[string]bool{},
	}
	o.server = &http.Server{Handler: o, ReadHeaderTimeout: time.Minute}
	go func() { _ = o.server.Serve(ln) }() // ends with close
	return o, nil
}

func (o *office) close() error { return o.server.Close() }

// deliversTo names the servers that get posts from now on, in turn.
func (o *office) deliversTo(doors ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = doors
}

// door is the server whose turn it is.
func (o *office) door() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.turn++
	return o.to[o.turn%len(o.to)]
}

func (o *office) set(m map[string]bool, order string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	m[order] = true
}

// ServeHTTP takes a terminal's post.
func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var p struct {
		OrderID, FolioNumber, TransType string
		IsRePrint                       bool
	}
	if err != nil || json.Unmarshal(body, &p) != nil {
		http.Error(w, "not a terminal's post", http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	order := p.OrderID
	if order == "" {
		order = o.folios[p.FolioNumber]
	}
	pass := o.through[order] || p.TransType == "A" && !p.IsRePrint && !o.closed[order]
	if !pass {
		o.marks++
		o.held[order] = append(o.held[order], newPost(o.marks, body))
	}
	o.mu.Unlock()
	status, answer := http.StatusOK, heard
	if pass {
		if status, answer, err = o.post(r.Context(), o.door(), body, "application/json"); err != nil {
			status = http.StatusBadGateway // the servers are being started: the terminal tries again
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// heard is the answer that a terminal wants.
const heard = `{"code":"00","message":"Recibido"}`

// take gives out the oldest post of an order that is held; nil when none is.
func (o *office) take(order string) *post {
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
func (o *office) post(ctx context.Context, door string, body []byte, kind string) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, door, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", kind)
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

// good reports whether a terminal is content with the answer.
func good(status int, answer string) bool {
	var said struct{ Code string }
	return status == http.StatusOK && json.Unmarshal([]byte(answer), &said) == nil && said.Code == "00"
}

// post is what a terminal said, with a mark by which its row is found again.
type post struct {
	number int
	body   []byte
}

// newPost puts the mark into a field that is kept and that nobody reads.
func newPost(number int, body []byte) *post {
	return (&post{number: number, body: body}).with("rrnNumber", mark(number))
}

func mark(number int) string { return fmt.Sprintf("mark-%d", number) }

// with returns the post with fields of other values; nil takes a field out.
func (p *post) with(pairs ...any) *post {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(p.body, &fields); err != nil {
		panic(err) // it was read before
	}
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		if pairs[i+1] == nil {
			delete(fields, name)
			continue
		}
		value, err := json.Marshal(pairs[i+1])
		if err != nil {
			panic(err) // values of the experiment's own
		}
		fields[name] = value
	}
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return &post{number: p.number, body: body}
}

// altered is another post: like this one but for some fields.
func (o *office) altered(p *post, pairs ...any) *post {
	o.mu.Lock()
	o.marks++
	number := o.marks
	o.mu.Unlock()
	q := p.with(append(pairs, "rrnNumber", mark(number))...)
	q.number = number
	return q
}
