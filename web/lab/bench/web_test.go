package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

const sessionCookie = "veinte_session"

// client sends the requests that are not load. It follows no redirect.
var client = &http.Client{
	Transport:     &http.Transport{MaxIdleConnsPerHost: 512},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// user is a signed-in user of a server.
type user struct{ base, session string }

// send sends a request and returns the response, whose status is no error's.
func (u *user) send(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.AddCookie(&http.Cookie{Name: sessionCookie, Value: u.session})
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return resp, nil
}

// get returns a page.
func (u *user) get(ctx context.Context, path string) ([]byte, error) {
	resp, err := u.send(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// post sends a form, or JSON, and returns where it leads.
func (u *user) post(ctx context.Context, path, kind string, body []byte) (location string, err error) {
	resp, err := u.send(ctx, http.MethodPost, path, kind, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.Header.Get("Location"), err
}

func (u *user) postForm(ctx context.Context, path string, form url.Values) error {
	location, err := u.post(ctx, path, "application/x-www-form-urlencoded", []byte(form.Encode()))
	if err == nil && location == "" {
		return fmt.Errorf("POST %s: the form was not accepted", path)
	}
	return err
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// csrf is the token of a page's forms.
func csrf(page []byte) string {
	if found := csrfField.FindSubmatch(page); found != nil {
		return string(found[1])
	}
	return ""
}

// await polls a page until it contains the words.
func (u *user) await(ctx context.Context, path, words string) ([]byte, error) {
	for ctx.Err() == nil {
		page, err := u.get(ctx, path)
		if err != nil || strings.Contains(string(page), words) {
			return page, err
		}
		pause()
	}
	return nil, ctx.Err()
}
