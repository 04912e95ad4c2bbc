package cancelapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// TokenSource provides access tokens. Its errors contain no token and no secret.
type TokenSource interface {
	// Token returns a token to use now. It waits no longer than ctx.
	Token(ctx context.Context) (string, error)

	// Invalidate reports that the service refused token. It is dropped if it is
	// still the current one. When several orders are refused with the same
	// token, the first causes one fetch and the others use its result.
	Invalidate(token string)
}

// maxToken is the longest token that is sent, in bytes. Tokens in use have up to
// about 2 KB; servers refuse headers over 8 to 16 KB.
const maxToken = 8 << 10

// checkToken refuses a token that is not valid in a header, without quoting it.
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

// staticToken is used by pointer, so that printing a struct that contains it shows
// an address and not the token.
type staticToken struct {
	token string
	unprinted
}

// StaticToken always provides the same token. When the service refuses it, the order
// is refused, because there is no other.
func StaticToken(token string) TokenSource { return &staticToken{token: strings.TrimSpace(token)} }

func (t *staticToken) Token(context.Context) (string, error) { return t.token, nil }
func (t *staticToken) Invalidate(string)                     {}

type staticTokenFile string

// StaticTokenFile provides the token that a file contains at the moment, without the
// white space around it. The file is read for every order, which costs little
// compared with the order. Nothing is cached, so changes apply at once and there is
// nothing to invalidate.
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
