package handlers_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"veinte/views/locale"
)

// visitor is a browser: it keeps cookies and speaks a language.
type visitor struct {
	h        *house
	id       int64 // of the person who is signed in
	over     bool  // the session cookie is of no use any more
	language string
	jar      map[string]string
	prefix   string // of the names of cookies
}

// answer is what came back.
type answer struct {
	*page
	status  int
	header  http.Header
	cookies map[string]*http.Cookie
}

// get asks for a page. headers are names and values by turns.
func (v *visitor) get(path string, headers ...string) *answer {
	v.h.tb.Helper()
	return v.send("GET", path, "", headers...)
}

// post sends a form as our own page would: with the token and from our origin.
func (v *visitor) post(path string, form url.Values, headers ...string) *answer {
	v.h.tb.Helper()
	sent := url.Values{"csrf": {v.csrf()}}
	for name, values := range form {
		sent[name] = values
	}
	return v.send("POST", path, sent.Encode(), append([]string{
		"Content-Type", "application/x-www-form-urlencoded", "Origin", "http://veinte.test", "Sec-Fetch-Site", "same-origin",
	}, headers...)...)
}

// csrf is the token of this browser's forms. It is written down here once more
// so that a change of it is noticed; TestFormTokens reads it from the pages.
func (v *visitor) csrf() string {
	of := v.jar[v.prefix+"veinte_session"]
	if of == "" || v.over {
		if v.jar[v.prefix+"veinte_visit"] == "" {
			v.jar[v.prefix+"veinte_visit"] = "a-visit-of-nobody"
		}
		of = v.jar[v.prefix+"veinte_visit"]
	}
	mask := []byte(rand.Text() + rand.Text())[:sha256.Size]
	for i, b := range formToken(of) {
		mask = append(mask, b^mask[i])
	}
	return base64.RawURLEncoding.EncodeToString(mask)
}

// formToken is the token of a session's forms before it is masked.
func formToken(session string) []byte {
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte("veinte form"))
	return mac.Sum(nil)
}

// opened takes the mask off a token, as it stands in a page.
func opened(masked string) string {
	both, _ := base64.RawURLEncoding.DecodeString(masked)
	if len(both) != 64 {
		return ""
	}
	for i := range 32 {
		both[i] ^= both[32+i]
	}
	return string(both[:32])
}

// send asks as written, and keeps the cookies that come back. Redirects are not
// followed.
func (v *visitor) send(method, path, body string, headers ...string) *answer {
	v.h.tb.Helper()
	u := &url.URL{Scheme: "http", Host: "veinte.test", Path: "/"}
	req := &http.Request{
		Method: method, URL: u, Host: u.Host, RequestURI: path, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: http.NoBody,
	}
	if body != "" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	if v.language != "" {
		req.Header.Set("Accept-Language", v.language)
		if _, chosen := v.jar["veinte_language"]; !chosen && slices.Contains(locale.Languages, v.language) {
			req.AddCookie(&http.Cookie{Name: "veinte_language", Value: v.language})
		}
	}
	for name, value := range v.jar {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	v.h.dress(req)
	res, err := v.h.app.Test(req, -1)
	if err != nil {
		v.h.tb.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	a := v.read(method+" "+path, res)
	v.h.overhear(v.jar, body, a.body)
	return a
}

func (v *visitor) read(what string, res *http.Response) *answer {
	v.h.tb.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.h.tb.Fatalf("%s: read answer: %v", what, err)
	}
	a := &answer{page: newPage(v.h.tb, what, string(body)), status: res.StatusCode, header: res.Header, cookies: map[string]*http.Cookie{}}
	for _, c := range res.Cookies() {
		a.cookies[c.Name] = c
		if c.MaxAge < 0 || c.Value == "" {
			delete(v.jar, c.Name)
		} else {
			v.jar[c.Name] = c.Value
		}
	}
	return a
}

// want fails unless the answer has the status.
func (a *answer) want(status int) *answer {
	a.tb.Helper()
	if a.status != status {
		a.tb.Fatalf("%s = %d, want %d\n%s", a.what, a.status, status, a.words())
	}
	return a
}

// wantTo fails unless the answer sends on to the path.
func (a *answer) wantTo(path string) *answer {
	a.tb.Helper()
	a.want(http.StatusSeeOther)
	if got := a.header.Get("Location"); got != path {
		a.tb.Fatalf("%s goes to %q, want %q", a.what, got, path)
	}
	return a
}

// follow goes where a form sent us.
func (v *visitor) follow(a *answer) *answer {
	v.h.tb.Helper()
	a.want(http.StatusSeeOther)
	return v.get(a.header.Get("Location"))
}
