package web

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models/modelstest"
)

// freeAddr is an address on which nothing listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	return ln.Addr().String()
}

// What is out is named at the start and at /healthz, with what to do; the names of what is
// concerned are for the operator's listener alone.
func TestWhatIsOutIsNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := modelstest.Open(t, s.ownerURL).SQL()
	modelstest.Exec(t, owner, `REVOKE INSERT ON saved_views FROM `+modelstest.AppRole)
	modelstest.Exec(t, owner, `ALTER TABLE checkpoints DISABLE TRIGGER append_only`)
	admin := freeAddr(t)
	p := s.serve("ADMIN_ADDR=" + admin)
	for _, want := range []string{"INSERT ON saved_views", "checkpoints: append_only"} {
		if !strings.Contains(p.log(), want) {
			t.Errorf("the start does not name %q:\n%s", want, p.log())
		}
	}
	get := func(url string) (int, string) {
		resp, err := http.Get(url)
		must(t, err)
		return read(t, resp)
	}
	code, public := get(p.url + "/healthz")
	_, own := get("http://" + admin + "/healthz")
	if code != http.StatusServiceUnavailable {
		t.Errorf("GET /healthz = %d %s", code, public)
	}
	for _, want := range []string{
		"database.rights", "veinte migrate up --app-role", "seal.unguarded", "ENABLE ALWAYS TRIGGER",
	} {
		if !strings.Contains(public, want) || !strings.Contains(own, want) {
			t.Errorf("/healthz lacks %q:\n%s\n%s", want, public, own)
		}
	}
	for _, name := range []string{"saved_views", "append_only"} {
		if strings.Contains(public, name) || !strings.Contains(own, name) {
			t.Errorf("%q is for the operator's listener alone:\n%s\n%s", name, public, own)
		}
	}
	if code, _ := get(p.url + "/readyz"); code != http.StatusOK {
		t.Errorf("the probe says %d: sending people elsewhere mends none of it", code)
	}
}

// A clock that is an hour off is named at the start and at /healthz.
func TestAClockAnHourOffIsNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	// The clock of this machine stays: the database is told that it is meant to be elsewhere.
	owner := modelstest.Open(t, s.ownerURL).SQL()
	modelstest.Exec(t, owner, `INSERT INTO installation (kind, marked_at, clock_offset) VALUES ('real', now(), '1 hour')`)
	p := s.serve()
	resp, err := http.Get(p.url + "/healthz")
	must(t, err)
	code, text := read(t, resp)
	if code != http.StatusServiceUnavailable || !strings.Contains(text, "clock.server") || !strings.Contains(text, "-1h0m0s") ||
		!strings.Contains(text, "NTP") {
		t.Errorf("GET /healthz = %d %s", code, text)
	}
	if !strings.Contains(p.log(), "this server's clock differs") {
		t.Errorf("the start does not say so:\n%s", p.log())
	}
}

// A schema of tomorrow is served while its servers may stand beside, and else refused, with
// what to do. veinte migrate status says the same.
func TestASchemaOfTomorrow(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := modelstest.Open(t, s.ownerURL).SQL()
	modelstest.Exec(t, owner, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9000, true)`)
	p := s.serve()
	if !strings.Contains(p.log(), "the schema is of a later release") {
		t.Errorf("the start does not say that the schema is a later one:\n%s", p.log())
	}
	modelstest.Exec(t, owner, `UPDATE serving_schemas SET oldest = 8999`)
	for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"migrate", "status"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, args...)
		url := s.dbURL
		if args[0] == "migrate" {
			url = s.ownerURL
		}
		cmd.Env = []string{
			"DATABASE_URL=" + url, "CANCEL_BASE_URL=" + s.box.url, "ACCESS_TOKEN=token", "ADMIN_ADDR=",
			"RESULTS_SECRET=results-secret-0123456789",
		}
		text, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(text), "from 8999 on") || !strings.Contains(string(text), "run the later release") {
			t.Errorf("veinte %s: %v\n%s", args, err, text)
		}
	}
}

// expiredService has the sandbox behind TLS, by a certificate that ended yesterday, of an
// authority that is trusted by the file it returns.
func expiredService(t *testing.T, behind string) (address, authorities string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().AddDate(0, 0, -30), NotAfter: time.Now().AddDate(0, 0, 30), KeyUsage: x509.KeyUsageCertSign,
	}
	root, err := x509.CreateCertificate(rand.Reader, ca, ca, private.Public(), private)
	must(t, err)
	of := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "the service"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().AddDate(0, 0, -30), NotAfter: time.Now().AddDate(0, 0, -1),
	}
	leaf, err := x509.CreateCertificate(rand.Reader, of, ca, private.Public(), private)
	must(t, err)
	target, err := url.Parse(behind)
	must(t, err)
	s := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that end early
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf}, PrivateKey: private}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "authorities.pem")
	must(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o600))
	return s.URL, file
}

// A certificate of the service that has expired is named at the first click, of which
// nothing was sent.
func TestAnExpiredCertificateIsNamed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	address, authorities := expiredService(t, s.box.url)
	p := s.serve("CANCEL_BASE_URL="+address, "SSL_CERT_FILE="+authorities)
	ana := s.signIn(p, "ana@shop.example")
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	eventually(t, 20*time.Second, "/healthz names the certificate", func() bool {
		resp, err := http.Get(p.url + "/healthz")
		must(t, err)
		code, text := read(t, resp)
		return code == http.StatusServiceUnavailable && strings.Contains(text, "service.certificate") &&
			strings.Contains(text, "ca-certificates")
	})
	var detail string
	var firstByte *time.Time
	must(t, s.db.Pool().QueryRow(context.Background(), `SELECT detail, first_byte_at FROM attempts`).Scan(&detail, &firstByte))
	if detail != "tlsFailed" || firstByte != nil {
		t.Errorf("the attempt ended as %s, its first byte left %v", detail, firstByte)
	}
}
