package mail_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"net"
	netmail "net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/sealing"
	"veinte/web/mail"
)

// server is a mail server on this machine with configured replies.
type server struct {
	tb      testing.TB
	ln      net.Listener
	mu      sync.Mutex
	letters []string
	rcpt    string // reply to RCPT TO; "" accepts
	data    string // reply after the mail; "" accepts
	stalls  bool   // never replies
	cuts    bool   // reads the mail and closes before replying
}

func newServer(tb testing.TB) *server {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{tb: tb, ln: ln}
	tb.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *server) serve(conn net.Conn) {
	defer conn.Close()
	if s.stalls {
		_, _ = bufio.NewReader(conn).ReadString('\n') // until the client gives up
		return
	}
	c := textproto.NewConn(conn)
	say := func(line string) { _ = c.PrintfLine("%s", line) }
	or := func(answer, otherwise string) string {
		if answer == "" {
			return otherwise
		}
		return answer
	}
	say("220 test")
	for {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch verb {
		case "RCPT":
			say(or(s.rcpt, "250 ok"))
		case "DATA":
			say("354 go on")
			lines, err := c.ReadDotLines()
			if err != nil {
				return
			}
			if s.data == "" {
				s.mu.Lock()
				s.letters = append(s.letters, strings.Join(lines, "\n"))
				s.mu.Unlock()
			}
			if s.cuts {
				return
			}
			say(or(s.data, "250 taken"))
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *server) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.letters...)
}

func (s *server) sender(subject string) *mail.Sender {
	addr := s.ln.Addr().(*net.TCPAddr)
	return mail.New(mail.Config{
		Host: "127.0.0.1", Port: addr.Port, From: "Veinte <veinte@tienda.example>", Plain: true,
		Timeout: 500 * time.Millisecond,
	},
		func(*alerts.Mail) (string, string) { return subject, "Hola, sucursal Peñón.\n.\nAdiós" }, models.ShiftedClock(0))
}

var letter = &alerts.Mail{MessageID: "8e2f7a1c-0000-4000-8000-000000000001", Recipient: "gerencia@tienda.example", Language: "es-MX"}

// TestWhatAServerMaySay distinguishes an accepted mail from a permanent refusal, and
// both from a temporary failure.
func TestWhatAServerMaySay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact string
		set  func(*server)
		want alerts.MailDetail
	}{
		{"takes it", func(*server) {}, alerts.MailAccepted},
		{"knows no such address", func(s *server) { s.rcpt = "550 no such user" }, alerts.MailRefused},
		{"is busy", func(s *server) { s.rcpt = "451 try again later" }, alerts.MailLater},
		{"has no room", func(s *server) { s.data = "452 no room" }, alerts.MailLater},
		{"does not like the letter", func(s *server) { s.data = "554 spam" }, alerts.MailRefused},
		{"stalls", func(s *server) { s.stalls = true }, alerts.MailTimeout},
		{"breaks off", func(s *server) { s.cuts = true }, alerts.MailUnreachable},
		{"is not there", func(s *server) { _ = s.ln.Close() }, alerts.MailUnreachable},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			tt.set(s)
			got := s.sender("Aviso").Send(context.Background(), letter)
			if got.Detail != tt.want {
				t.Errorf("a server that %s: %s (%s), want %s", tt.fact, got.Detail, got.Answer, tt.want)
			}
		})
	}
}

// TestALetterIsOneLetter: no name can add a header or a recipient, and every try has
// the same Message-ID.
func TestALetterIsOneLetter(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	sender := s.sender("Aviso de Peñón\r\nBcc: otro@malo.example\nX: y")
	for range 2 {
		if got := sender.Send(context.Background(), letter); got.Detail != alerts.MailAccepted {
			t.Fatalf("Send() = %+v", got)
		}
	}
	all := s.got()
	if len(all) != 2 {
		t.Fatalf("%d letters, want 2", len(all))
	}
	for _, l := range all {
		head, _, _ := strings.Cut(l, "\n\n")
		for _, line := range strings.Split(head, "\n") {
			if strings.HasPrefix(line, "Bcc:") || strings.HasPrefix(line, "X:") {
				t.Errorf("a header of the subject's making: %s", line)
			}
		}
		for _, want := range []string{
			"<8e2f7a1c-0000-4000-8000-000000000001@tienda.example>", "Auto-Submitted: auto-generated", "text/plain",
			"gerencia@tienda.example",
		} {
			if !strings.Contains(head, want) {
				t.Errorf("the head lacks %q:\n%s", want, head)
			}
		}
	}
	wrong := *letter
	wrong.Recipient = "a@b.mx\r\nRCPT TO:<otro@malo.example>"
	if got := sender.Send(context.Background(), &wrong); got.Detail == alerts.MailAccepted {
		t.Errorf("a recipient of two lines was sent to")
	}
}

// TestTLSIsRequired of every server except one on this machine: one that does not
// offer it gets neither mail nor password.
func TestTLSIsRequired(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	addr := s.ln.Addr().(*net.TCPAddr)
	sender := mail.New(mail.Config{
		Host: "127.0.0.1", Port: addr.Port, From: "veinte@tienda.example", Username: "u", Password: "secreto",
		Timeout: time.Second,
	},
		func(*alerts.Mail) (string, string) { return "a", "b" }, models.ShiftedClock(0))
	got := sender.Send(context.Background(), letter)
	if got.Detail != alerts.MailTLS || len(s.got()) != 0 || strings.Contains(got.Answer, "secreto") {
		t.Errorf("Send() without TLS = %+v, %d letters", got, len(s.got()))
	}
}

// TestACheckpointArrivesAsItWasSigned: a note whose bytes change on their way verifies no more.
func TestACheckpointArrivesAsItWasSigned(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := &sealing.Checkpoint{Size: 42, Note: "tienda.example/bitacora\n42\nqTMaPo1o8wTDIsl9Ypd=\n\n" +
		"— tienda.example/bitacora Az3grlgt\n— tsa.example " + strings.Repeat("QUJD", 3000) + "\n"}
	with := *letter
	with.Checkpoint = c
	if got := s.sender("Punto de control").Send(context.Background(), &with); got.Detail != alerts.MailAccepted {
		t.Fatalf("Send() = %+v", got)
	}
	m, err := netmail.ReadMessage(strings.NewReader(s.got()[0]))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	files := map[string]string{}
	for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
		bytes, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
		if name := part.FileName(); name != "" && err == nil {
			files[name] = string(bytes)
		}
	}
	if len(files) != 1 || files["veinte-checkpoint-42.txt"] != c.Note {
		t.Errorf("attached: %q, want the note as it was signed", files)
	}
}
