package cancelapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// TokenSource gives access tokens. Its errors carry no token and no secret.
type TokenSource interface {
	// Token returns a token to use now. It waits no longer than ctx.
	Token(ctx context.Context) (string, error)

	// Invalidate says that the service refused token. It is forgotten if it is
	// still the current one; so when many are refused with the same token, the
	// first gets a fresh one fetched and the others find it.
	Invalidate(token string)
}

// maxToken is the longest token that is sent, in bytes. Tokens in use have up to
// about 2 KB; servers refuse headers over 8 to 16 KB.
const maxToken = 8 << 10

// checkToken refuses what cannot stand in a header, without quoting it.
func checkToken(token string) error {
	if token == "" {
		return errors.New("the access token is empty")
	}
	if len(token) > maxToken {
		return fmt.Errorf("the access token is longer than %d bytes", maxToken)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the access token has characters that a header cannot carry")
	}
	return nil
}

// staticToken is used by pointer: printed as a part of something else it shows an
// address.
type staticToken struct{ token string }

// StaticToken always gives the same token. There is no fresh one: when the
// service refuses it, the order is refused.
func StaticToken(token string) TokenSource { return &staticToken{strings.TrimSpace(token)} }

func (t *staticToken) Token(context.Context) (string, error) { return t.token, nil }
func (t *staticToken) Invalidate(string)                     {}

// String hides the token.
func (t *staticToken) String() string { return mask }

// GoString hides the token from %#v.
func (t *staticToken) GoString() string { return mask }

type staticTokenFile string

// StaticTokenFile gives the token that a file holds at the moment, white space
// around it aside. The file is read for every order, which is far cheaper than
// the order and leaves no doubt about whether it changed; nothing is cached, so
// there is nothing to invalidate.
func StaticTokenFile(path string) TokenSource { return staticTokenFile(path) }

func (path staticTokenFile) Token(context.Context) (string, error) {
	file, err := os.Open(string(path))
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, 2*maxToken))
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

func (path staticTokenFile) Invalidate(string) {}
