// Program provider is a provider of single sign-on for the laboratory: the certified one
// of zitadel/oidc, which nobody here wrote, with people in its memory. Beside what the
// standard says it takes orders of an experiment below /control.
package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where it listens")
	back := flag.String("redirect", "", "where people go back to")
	out := flag.String("signed-out", "", "where they go back to after they have signed out")
	flag.Parse()
	if err := run(*addr, *back, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	client = "veinte"
	secret = "the secret of the laboratory"
)

func run(addr, back, out string) error {
	issuer := "http://" + addr
	p := &people{all: map[string]*person{}}
	s := &store{
		Storage: storage.NewStorageWithClients(p, map[string]*storage.Client{client: storage.WebClient(client, secret, back)}),
		people:  p, issuer: issuer, out: out,
	}
	if err := s.rotate(); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /control/people/{id}", s.putPerson)
	mux.HandleFunc("POST /control/keys", func(w http.ResponseWriter, _ *http.Request) { answer(w, s.rotate()) })
	mux.HandleFunc("POST /control/logout", s.logout)
	mux.Handle("/", exampleop.SetupServer(issuer, s, slog.New(slog.NewTextHandler(io.Discard, nil)), false))
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	return server.ListenAndServe()
}

func answer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// person is somebody at the provider.
type person struct {
	Email    string   `json:"email"`
	Verified bool     `json:"verified"`
	Name     string   `json:"name"`
	Groups   []string `json:"groups"`
	Session  string   `json:"session"`
}

// people are those of the experiment; all have the same password.
type people struct {
	mu  sync.Mutex
	all map[string]*person
}

func (p *people) GetUserByID(id string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.all[id]
	if of == nil {
		return nil
	}
	first, last, _ := strings.Cut(of.Name, " ")
	return &storage.User{
		ID: id, Username: id, Password: "secret", Email: of.Email, EmailVerified: of.Verified, FirstName: first, LastName: last,
	}
}

func (p *people) GetUserByUsername(name string) *storage.User { return p.GetUserByID(name) }
func (p *people) ExampleClientID() string                     { return storage.ServiceUserID }

// store is the provider's memory: the library's own, with groups, sessions and keys that
// change.
type store struct {
	*storage.Storage
	people *people
	issuer string
	out    string

	mu   sync.Mutex
	keys []*key // the last signs
}

type key struct {
	id  string
	rsa *rsa.PrivateKey
}

func (k *key) ID() string                                  { return k.id }
func (k *key) Key() any                                    { return k.rsa }
func (k *key) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

type publicKey struct{ *key }

func (k publicKey) Key() any                           { return &k.rsa.PublicKey }
func (k publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k publicKey) Use() string                        { return "sig" }

// rotate makes a new key and takes the one before it back.
func (s *store) rotate() error {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = []*key{{rand.Text(), made}}
	return nil
}

func (s *store) current() *key {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[len(s.keys)-1]
}

func (s *store) SigningKey(context.Context) (op.SigningKey, error) { return s.current(), nil }
func (s *store) KeySet(context.Context) ([]op.Key, error) {
	return []op.Key{publicKey{s.current()}}, nil
}

// registered is a client with an address to go back to after a sign-out.
type registered struct {
	op.Client
	out string
}

func (r registered) PostLogoutRedirectURIs() []string { return []string{r.out} }

func (s *store) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	return registered{c, s.out}, err
}

func (s *store) add(info *oidc.UserInfo, subject string) {
	s.people.mu.Lock()
	defer s.people.mu.Unlock()
	if of := s.people.all[subject]; of != nil {
		info.AppendClaims("groups", slices.Clone(of.Groups))
		info.AppendClaims("sid", of.Session)
	}
}

func (s *store) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, token op.IDTokenRequest, scopes []string) error {
	s.add(info, token.GetSubject())
	return s.Storage.SetUserinfoFromRequest(ctx, info, token, scopes)
}

func (s *store) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, origin string) error {
	s.add(info, subject)
	return s.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin)
}

func (s *store) putPerson(w http.ResponseWriter, r *http.Request) {
	var of person
	if err := json.NewDecoder(r.Body).Decode(&of); err != nil {
		answer(w, err)
		return
	}
	s.people.mu.Lock()
	defer s.people.mu.Unlock()
	s.people.all[r.PathValue("id")] = &of
}

// logout tells the client at an address that a session is over, and returns what it
// answered, with the token, which an experiment may send again.
func (s *store) logout(w http.ResponseWriter, r *http.Request) {
	claims := oidc.NewLogoutTokenClaims(s.issuer, r.FormValue("sub"), oidc.Audience{client}, time.Now().Add(2*time.Minute),
		rand.Text(), r.FormValue("sid"), 0)
	k := s.current()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: k.rsa, KeyID: k.id}}, nil)
	if err != nil {
		answer(w, err)
		return
	}
	token, err := crypto.Sign(claims, signer)
	if err != nil {
		answer(w, err)
		return
	}
	response, err := http.PostForm(r.FormValue("to"), url.Values{"logout_token": {token}})
	if err != nil {
		answer(w, errors.Join(errors.New("tell the client"), err))
		return
	}
	defer response.Body.Close()
	w.Header().Set("Client-Status", response.Status)
	_, _ = io.WriteString(w, token)
}
