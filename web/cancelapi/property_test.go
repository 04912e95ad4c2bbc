package cancelapi

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veinte/models"
)

// member generates one member of an object, mostly of the kinds that decide.
var member = rapid.Custom(func(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"code", "error", "Code", "message", "co\\u0064e", "x"}).Draw(t, "name")
	value := rapid.SampledFrom([]string{
		`"00"`, `"19"`, `0`, `19`, `null`, `""`, `"invalid_token"`, `"\u0030\u0030"`, `{"code":"00"}`, `["00"]`, `"00 "`, `true`, `"00`,
	}).Draw(t, "value")
	return `"` + name + `":` + value
})

// body generates a response's body: close to a documented one, or anything.
var body = rapid.Custom(func(t *rapid.T) string {
	near := "{" + strings.Join(rapid.SliceOfN(member, 0, 4).Draw(t, "members"), ",") + "}"
	after := rapid.SampledFrom([]string{"", "", "\n", "}", ackOK, "\x00"}).Draw(t, "after")
	return rapid.OneOf(rapid.Just(near+after), rapid.Just(ackOK), rapid.String()).Draw(t, "body")
})

// saysOnce reports, in another way than the code under test, whether text is one
// object that contains name once and with that value.
func saysOnce(text, name, value string) bool {
	var members map[string]any
	text = strings.TrimPrefix(text, "\ufeff")
	if json.Unmarshal([]byte(text), &members) != nil || members[name] != value {
		return false
	}
	decoder, depth, names, key := json.NewDecoder(strings.NewReader(text)), 0, 0, false
	for {
		token, err := decoder.Token()
		if err != nil {
			return names == 1
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			key = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			key = depth == 1
			continue
		}
		if depth == 1 && key && token == name {
			names++
		}
		key = depth == 1 && !key
	}
}

// TestNothingIsProvenByLess: whatever the body and the status, accepted requires the
// code 00 and a 2xx, refused one of the two documented refusals.
func TestNothingIsProvenByLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		status := rapid.IntRange(100, 999).Draw(t, "status")
		if rapid.Bool().Draw(t, "success") {
			status = 200
		}
		text := body.Draw(t, "text")
		x := exchange{order: anOrder(), token: testToken}
		var reply models.Reply
		x.read(answer{status: status, body: []byte(text)}, &reply)

		switch reply.Meaning {
		case models.MeaningUnknown:
		case models.MeaningAccepted:
			if !saysOnce(text, "code", "00") || status < 200 || status > 299 {
				t.Fatalf("accepted without proof: %d %q", status, text)
			}
		case models.MeaningRefused:
			if !saysOnce(text, "code", "19") && !saysOnce(text, "error", "invalid_token") {
				t.Fatalf("refused without proof: %d %q", status, text)
			}
		default:
			t.Fatalf("a whole answer means %q", reply.Meaning)
		}
	})
}

// pipeService is a service behind a pipe that may fail at any byte.
type pipeService struct {
	end      net.Conn
	takes    int    // bytes of the request until it closes; a large number: all
	answer   string // sent after the request
	received int
	done     sync.WaitGroup
}

func (p *pipeService) connect(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.end = theirs
	p.done.Go(func() {
		defer theirs.Close()
		in := &counted{Reader: io.LimitReader(theirs, int64(p.takes))}
		req, err := http.ReadRequest(bufio.NewReaderSize(in, 16))
		if err == nil {
			_, err = io.Copy(io.Discard, req.Body)
		}
		p.received = in.n
		if err == nil {
			_, _ = io.WriteString(theirs, p.answer)
		}
	})
	return ours, nil
}

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// TestTheWireComesFirst closes the connection at every byte of a request and of a
// response. Once a byte arrived the reply is never notSent; without the whole
// response it is never accepted; and the request uses one connection.
func TestTheWireComesFirst(t *testing.T) {
	t.Parallel()
	answer := whole(200, ackOK)
	rapid.Check(t, func(t *rapid.T) {
		service := &pipeService{
			takes:  rapid.OneOf(rapid.IntRange(0, 600), rapid.Just(1<<20)).Draw(t, "takes"),
			answer: answer[:rapid.OneOf(rapid.IntRange(0, len(answer)), rapid.Just(len(answer))).Draw(t, "says")],
		}
		client, err := New(Config{BaseURL: "http://service.example", Timeout: 10 * time.Second, Tokens: StaticToken(testToken)})
		if err != nil {
			t.Fatal(err)
		}
		dials := 0
		client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return service.connect(ctx, network, address)
		}
		got := client.Cancel(context.Background(), anOrder())
		service.done.Wait()

		if got.Meaning == models.MeaningNotSent && service.received > 0 {
			t.Fatalf("%+v, but %d bytes arrived", got, service.received)
		}
		if got.Meaning == models.MeaningAccepted && service.answer != answer {
			t.Fatalf("%+v, but only %q was said", got, service.answer)
		}
		if got.Meaning == models.MeaningRefused || dials != 1 {
			t.Fatalf("%+v after %d connections", got, dials)
		}
	})
}
