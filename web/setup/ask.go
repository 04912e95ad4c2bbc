package setup

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// question is something that must be known, and its flag.
type question struct {
	flag, text string
	value      *string
	secret     bool
}

// ask asks on a terminal for what no flag, variable or earlier run says. Without a
// terminal it names everything that is missing.
func (s *installation) ask(in *os.File) error {
	s.BaseURL = s.settings.prefer("BASE_URL", s.BaseURL, "")
	s.CancelBaseURL = s.settings.prefer("CANCEL_BASE_URL", s.CancelBaseURL, "")
	s.Addr = s.settings.prefer("ADDR", s.Addr, "127.0.0.1:8020")
	s.TrustedProxies = s.settings.prefer("TRUSTED_PROXIES", s.TrustedProxies, "127.0.0.1")
	tokenText, err := s.readToken(in)
	if err != nil {
		return err
	}
	questions := []question{
		{"--base-url", "The https address that people will type", &s.BaseURL, false},
		{"--cancel-base-url", "The address of the cancellation service", &s.CancelBaseURL, false},
		{"--access-token-file", "Its access token", &tokenText, true},
		{"--email", "E-mail address of the first administrator", &s.Email, false},
		{"--name", "Their name", &s.Name, false},
	}
	typed, terminal := bufio.NewReader(in), term.IsTerminal(int(in.Fd()))
	var missing []string
	for _, q := range questions {
		for terminal && *q.value == "" {
			fmt.Fprintf(s.log, "%s: ", q.text)
			if *q.value, err = q.read(typed, in); err != nil {
				return fmt.Errorf("%s: %w", q.flag, err)
			}
		}
		if *q.value == "" {
			missing = append(missing, q.flag)
		}
	}
	if len(missing) > 0 {
		return errors.New("this is not a terminal, so nothing can be asked; missing: " + strings.Join(missing, ", "))
	}
	s.token = &secret{path: s.path("token"), text: tokenText, shared: true}
	for name, value := range map[string]string{
		"BASE_URL": s.BaseURL, "CANCEL_BASE_URL": s.CancelBaseURL, "ADDR": s.Addr, "TRUSTED_PROXIES": s.TrustedProxies,
	} {
		s.settings.set(name, value)
	}
	if os.Getenv("INSECURE_DATABASE") == "on" { // as this command itself connects
		s.settings.set("INSECURE_DATABASE", "on")
	}
	return nil
}

// read reads one answer; a secret is not shown.
func (q question) read(typed *bufio.Reader, in *os.File) (string, error) {
	if q.secret {
		text, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(os.Stderr)
		return strings.TrimSpace(string(text)), err
	}
	line, err := typed.ReadString('\n')
	return strings.TrimSpace(line), err
}

// readToken reads the access token of the file that was named, or of an earlier run.
func (s *installation) readToken(in *os.File) (string, error) {
	path := s.AccessTokenFile
	if path == "" {
		path = s.path("token")
	}
	text, err := []byte(nil), error(nil)
	if path == "-" {
		text, err = bufio.NewReader(in).ReadBytes('\n')
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil && len(text) == 0 && s.AccessTokenFile != "" {
		return "", fmt.Errorf("--access-token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" && s.AccessTokenFile != "" {
		return "", fmt.Errorf("--access-token-file: %s is empty", path)
	}
	return token, nil
}
