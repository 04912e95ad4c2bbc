package cutoff

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// manner is how the service treats one connection.
type manner struct {
	shake    time.Duration // how long its TLS handshake takes
	breakOff bool          // the handshake fails
	transit  time.Duration // from the first byte's leaving to its being read
	trip     time.Duration // from there to the end of the answer
	dated    int           // after how many hundredths of the trip it writes its Date
	undated  bool          // it writes none
	answer   string        // "" closes without any
}

// The answers that are given.
const (
	answerSent         = `{"code":"00","message":"Mensaje enviado exitosamente"}`
	answerNoTerminal   = `{"code":"19","message":"No se encontró la terminal"}`
	answerInvalidToken = `{"error":"invalid_token","error_description":"expired"}`
	answerDown         = `<html>502</html>`
)

// service is the stand-in: a listener that reads raw connections, so that it
// knows when the first byte of a request is there.
type service struct {
	stage     *stage
	judge     *judge
	manner    func() manner
	accepting func()             // called with every connection
	arriving  func()             // called as soon as a first byte is there
	acked     func(order wanted) // called when a cancellation was acknowledged
	granted   atomic.Int64       // tokens
	listener  net.Listener
	tls       *tls.Config // nil: plain
	talks     sync.WaitGroup
}

// wanted is what a request asks for.
type wanted struct {
	SerialNumber string `json:"serialNumber"`
	OrderID      string `json:"orderId"`
	Traceability struct {
		AttemptID string `json:"attemptId"`
	} `json:"traceability"`
}

// open begins to listen on loopback and returns the address to send to.
func (s *service) open() (string, error) {
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return "", err
	}
	s.talks.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.talks.Go(func() { s.talk(conn) })
		}
	})
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	return scheme + "://" + s.listener.Addr().String() + "/gateway", nil
}

// close stops listening and waits for the connections to end.
func (s *service) close() {
	_ = s.listener.Close()
	s.talks.Wait()
}

// talk serves one connection: one request, as the client makes them.
func (s *service) talk(conn net.Conn) {
	defer conn.Close()
	m, began := s.manner(), s.stage.peek()
	s.accepting()
	if s.tls != nil {
		secure := tls.Server(conn, s.shaking(m))
		if err := secure.Handshake(); err != nil {
			s.judge.figures.tally(func(f *figures) { f.wire.NotShaken++ })
			return
		}
		conn = secure
	}
	first := make([]byte, 1)
	if n, _ := conn.Read(first); n == 0 {
		s.judge.figures.tally(func(f *figures) { f.wire.Silent++ })
		return
	}
	came := s.stage.peek()
	s.arriving()
	what, order := read(io.MultiReader(bytes.NewReader(first), conn))
	switch what {
	case tokenPath:
		s.judge.figures.tally(func(f *figures) { f.wire.Tokens++ })
		// Whoever asks for one cannot tell connecting from waiting.
		s.answer(conn, m.forToken(s.granted.Add(1)), began, nil)
	case inquiryPath:
		s.judge.figures.tally(func(f *figures) { f.wire.Inquiries++ })
		s.answer(conn, m, came, nil)
	default:
		s.judge.arrived(firstByte{at: came, order: order.OrderID, attempt: order.Traceability.AttemptID}, m.transit)
		if order.OrderID == "" {
			return // cut short: nothing to answer
		}
		s.answer(conn, m, came, &order)
	}
}

// forToken is the same manner towards who asks for a token.
func (m manner) forToken(number int64) manner {
	if m.answer != "" && m.answer != answerDown {
		m.answer = fmt.Sprintf(`{"access_token":"token-of-the-service-%d","token_type":"bearer","expires_in":43199}`, number)
	}
	return m
}

// shaking lets the client wait in its handshake, before any byte of HTTP.
func (s *service) shaking(m manner) *tls.Config {
	config := s.tls.Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		s.stage.pass(m.shake)
		if m.breakOff {
			return nil, errors.New("not now")
		}
		return nil, nil
	}
	return config
}

// answer lets the trip pass and answers in the manner. The order is that of a
// cancellation, nil of anything else.
func (s *service) answer(conn io.Writer, m manner, came time.Time, order *wanted) {
	s.stage.pass(m.transit)
	s.stage.pass(m.trip * time.Duration(m.dated) / 100)
	dated := s.stage.peek()
	theirs := s.judge.theirs(dated)
	s.stage.pass(m.trip * time.Duration(100-m.dated) / 100)
	if m.answer == "" {
		return
	}
	date := "Date: " + theirs.UTC().Format(http.TimeFormat) + "\r\n"
	if m.undated {
		date = ""
	} else {
		s.judge.answered(came, s.stage.peek(), dated, theirs.Sub(dated))
	}
	if order != nil && m.answer == answerSent {
		s.acked(*order)
	}
	status := "200 OK"
	if m.answer == answerDown {
		status = "502 Bad Gateway"
	}
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", status, date, len(m.answer),
		m.answer)
}

// What is asked for, by the end of the path; all else is a cancellation.
const (
	tokenPath   = "/oauth/token"
	inquiryPath = "/transactions/reprint"
)

// read understands as much of a request as there is. One that was cut short is
// taken for a cancellation: its first byte did arrive.
func read(from io.Reader) (what string, order wanted) {
	req, err := http.ReadRequest(bufio.NewReader(from))
	if err != nil {
		return "", wanted{}
	}
	for _, path := range []string{tokenPath, inquiryPath} {
		if strings.HasSuffix(req.URL.Path, path) {
			what = path
		}
	}
	if err := json.NewDecoder(req.Body).Decode(&order); err != nil {
		return what, wanted{}
	}
	return what, order
}
