package sso

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/web/lab"
)

// Scene is a shop whose people come in by the provider of another process.
type Scene struct {
	*lab.Lab
	Server   *lab.Server
	Provider *lab.Process // not started yet

	tb    testing.TB
	admin *lab.Person
}

// Password is that of all people at the provider.
const Password = "secret"

// Open starts the shop with a program of ours.
func Open(tb testing.TB, bin string) *Scene {
	tb.Helper()
	ctx := tb.Context()
	provider := filepath.Join(tb.TempDir(), "provider")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", provider, "veinte/web/lab/provider").CombinedOutput(); err != nil {
		tb.Fatalf("build the provider: %v\n%s", err, out)
	}
	s := &Scene{tb: tb}
	var err error
	s.Lab, err = lab.Start(ctx, lab.Options{Setup: lab.Setup{Bin: bin}, Stores: 2, Terminals: 2, Managers: 1})
	s.must(err)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	s.Server, err = s.NewServer()
	s.must(err)
	s.Provider, err = lab.NewProcess(provider, s.File("provider.log"), "/.well-known/openid-configuration", nil,
		"-addr", "ADDR", "-redirect", s.Server.URL+"/login/oidc/callback", "-signed-out", s.Server.URL+"/login")
	s.must(err)
	tb.Cleanup(func() { _ = s.Provider.Stop() })
	// The server starts while nobody answers at the provider's address.
	s.must(s.Server.Restart(ctx, "BASE_URL="+s.Server.URL, "OIDC_ISSUER=http://"+s.Provider.Addr, "OIDC_CLIENT_ID=veinte",
		"OIDC_CLIENT_SECRET=the secret of the laboratory", "OIDC_NAME=Grupo Laboratorio"))
	s.admin, err = s.Hire(ctx, accounts.Input{Name: "Ada", Role: models.Administrator})
	s.must(err)
	s.must(s.admin.SignInAt(ctx, s.Server, "/settings/sso")) // which has a form
	return s
}

func (s *Scene) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}

// AddGroups says what the groups of the provider give: gerentes the first store, supervision
// all, sistemas the administration.
func (s *Scene) AddGroups() {
	s.tb.Helper()
	s.post("/settings/sso/groups", url.Values{
		"name": {"gerentes"}, "role": {"manager"}, "stores": {strconv.FormatInt(s.StoreIDs[0], 10)},
	})
	s.post("/settings/sso/groups", url.Values{"name": {"supervision"}, "role": {"supervisor"}, "allStores": {"on"}})
	s.post("/settings/sso/groups", url.Values{"name": {"sistemas"}, "role": {"administrator"}})
}

// post sends a form of the administrator's, and wants it done.
func (s *Scene) post(path string, form url.Values) {
	s.tb.Helper()
	if a := s.admin.Post(s.tb.Context(), s.Server, path, form); a.Status != http.StatusSeeOther {
		s.tb.Fatalf("POST %s: %v", path, a.Problem())
	}
}

// control gives the provider an order.
func (s *Scene) control(method, path string, body any) *http.Response {
	s.tb.Helper()
	var reader io.Reader
	kind := "application/json"
	switch b := body.(type) {
	case url.Values:
		reader, kind = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	default:
		text, err := json.Marshal(b)
		s.must(err)
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.tb.Context(), method, "http://"+s.Provider.Addr+"/control/"+path, reader)
	s.must(err)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(r)
	s.must(err)
	text, err := io.ReadAll(response.Body)
	s.must(err)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	if response.StatusCode != http.StatusOK {
		s.tb.Fatalf("%s %s = %d: %s", method, path, response.StatusCode, text)
	}
	return response
}

// Person is somebody at the provider.
type Person struct {
	Email    string   `json:"email"`
	Verified bool     `json:"verified"`
	Name     string   `json:"name"`
	Groups   []string `json:"groups"`
	Session  string   `json:"session"`
}

// Put makes somebody at the provider, or changes them.
func (s *Scene) Put(id string, of Person) { s.tb.Helper(); s.control(http.MethodPut, "people/"+id, of) }
