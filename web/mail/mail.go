// Package mail sends mails over SMTP, each to one address and once per call. The
// caller provides the texts, and the outcome is returned in the terms of the domain.
// The package contains no rules, no HTML and no database.
package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"veinte/models"
	"veinte/models/alerts"
)

// Config is the configuration of the mail server.
type Config struct {
	Host               string
	Port               int
	Username, Password string // "" for a server without sign-in
	From               string
	// Plain disables TLS: for a server on this machine only. Otherwise TLS is
	// required: from the start on port 465, by STARTTLS on every other.
	Plain   bool
	Timeout time.Duration // of a try; 0: twenty seconds
	RootCAs *x509.CertPool
}

const defaultTimeout = 20 * time.Second

// implicitTLS is the port on which TLS is used from the start.
const implicitTLS = 465

// Words returns the texts of a mail.
type Words func(*alerts.Mail) (subject, text string)

// Sender sends mails.
type Sender struct {
	config Config
	words  Words
	clock  models.Clock
}

func New(config Config, words Words, clock models.Clock) *Sender {
	config.Timeout = cmp.Or(config.Timeout, defaultTimeout)
	return &Sender{config, words, clock}
}

// Send tries to send a mail once.
func (s *Sender) Send(ctx context.Context, m *alerts.Mail) alerts.MailAnswer {
	began := time.Now() // real time, for the duration
	answer := alerts.MailAnswer{At: s.clock.Now(), Detail: alerts.MailAccepted}
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	if err := s.send(ctx, m); err != nil {
		answer.Detail, answer.Answer = detailOf(err), s.masked(err)
	}
	answer.Duration = time.Since(began)
	return answer
}

func (s *Sender) send(ctx context.Context, m *alerts.Mail) error {
	letter, err := s.letter(m)
	if err != nil {
		return err
	}
	client, err := gomail.NewClient(s.config.Host, s.options()...)
	if err != nil {
		return fmt.Errorf("make mail client: %w", err)
	}
	return client.DialAndSendWithContext(ctx, letter)
}

func (s *Sender) options() []gomail.Option {
	// The timeout is that of the whole try. Each connection sends one mail.
	options := []gomail.Option{gomail.WithPort(s.config.Port), gomail.WithTimeout(s.config.Timeout), gomail.WithoutNoop()}
	switch {
	case s.config.Plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case s.config.Port == implicitTLS:
		options = append(options, gomail.WithSSL())
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.config.RootCAs != nil {
		options = append(options, gomail.WithTLSConfig(&tls.Config{
			RootCAs: s.config.RootCAs, ServerName: s.config.Host,
			MinVersion: tls.VersionTLS12,
		}))
	}
	if s.config.Username != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.config.Username),
			gomail.WithPassword(s.config.Password))
	}
	return options
}

// letter builds a plain-text mail. Its Message-ID is the same with every try, so
// that a receiver can recognise a repeat.
func (s *Sender) letter(m *alerts.Mail) (*gomail.Msg, error) {
	subject, text := s.words(m)
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := letter.From(s.config.From); err != nil {
		return nil, fmt.Errorf("sender: %w", err)
	}
	if err := letter.To(m.Recipient); err != nil {
		return nil, fmt.Errorf("recipient: %w", err)
	}
	_, domain, _ := strings.Cut(letter.GetAddrHeader(gomail.HeaderFrom)[0].Address, "@")
	letter.SetMessageIDWithValue(m.MessageID + "@" + domain)
	letter.SetDateWithValue(s.clock.Now())
	letter.Subject(oneLine(subject))
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // prevents automatic replies
	letter.SetGenHeader("Content-Language", m.Language)
	letter.SetBodyString(gomail.TypeTextPlain, text)
	if c := m.Checkpoint; c != nil { // as base64: not a byte of it may change on its way
		err := letter.AttachReader(c.FileName(), strings.NewReader(c.Note), gomail.WithFileContentType("text/plain; charset=utf-8"))
		if err != nil {
			return nil, fmt.Errorf("attach the checkpoint: %w", err)
		}
	}
	return letter, nil
}

// oneLine prevents names of users and stores from ending the line of a header.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }),
		" ")
}

// detailOf classifies a failed try.
func detailOf(err error) alerts.MailDetail {
	var refused *gomail.SendError
	var network net.Error
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return alerts.MailTimeout
	case errors.As(err, &certificate), errors.As(err, &record), strings.Contains(err.Error(), "STARTTLS"):
		return alerts.MailTLS
	case errors.As(err, &refused) && refused.ErrorCode() >= 500 && isAboutLetter(refused):
		return alerts.MailRefused
	case errors.As(err, &refused) && refused.ErrorCode() >= 400:
		return alerts.MailLater
	case strings.Contains(strings.ToLower(err.Error()), "auth"):
		return alerts.MailSignIn
	}
	return alerts.MailUnreachable
}

// isAboutLetter reports whether only this mail was refused. A refusal of all mails
// may be temporary, and is tried again.
func isAboutLetter(e *gomail.SendError) bool {
	return e.Reason == gomail.ErrSMTPRcptTo || e.Reason == gomail.ErrSMTPData || e.Reason == gomail.ErrSMTPDataClose
}

// masked is the server's message, without our credentials.
func (s *Sender) masked(err error) string {
	text := oneLine(err.Error())
	for _, secret := range []string{s.config.Password, s.config.Username} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}
