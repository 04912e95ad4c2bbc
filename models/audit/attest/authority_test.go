package attest_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"veinte/models/audit/attest"
)

// authority is a time stamping authority: OpenSSL answers, behind a handler.
type authority struct {
	tb     testing.TB
	dir    string
	server *httptest.Server
	url    string
	root   *x509.CertPool

	mu     sync.Mutex
	asked  int
	handle func(w http.ResponseWriter, query []byte) // nil: as it has to be
}

// opensslConfig is an authority with a chain of a root and its own certificate.
const opensslConfig = `
[ req ]
distinguished_name = dn
[ dn ]
[ ca ]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
[ signer ]
basicConstraints = CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[ tsa ]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[ strict ]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha512
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`

func newAuthority(tb testing.TB) *authority {
	tb.Helper()
	a := &authority{tb: tb, dir: tb.TempDir(), root: x509.NewCertPool()}
	a.write("openssl.cnf", []byte(opensslConfig))
	a.write("serial", []byte("01\n"))
	key := []string{"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-config", "openssl.cnf"}
	a.openssl(append([]string{
		"req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Root", "-days", "3650", "-extensions", "ca",
	}, key...)...)
	a.openssl(append([]string{"req", "-new", "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=Authority"}, key...)...)
	a.openssl("x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "tsa.pem", "-days", "365",
		"-extfile", "openssl.cnf", "-extensions", "signer")
	if !a.root.AppendCertsFromPEM(a.read("ca.pem")) {
		tb.Fatal("the root is no certificate")
	}
	a.server = httptest.NewServer(http.HandlerFunc(a.serve))
	tb.Cleanup(a.server.Close)
	a.url = a.server.URL + "/tsr"
	return a
}

func (a *authority) openssl(args ...string) {
	a.tb.Helper()
	run := exec.Command("openssl", args...)
	run.Dir = a.dir
	if out, err := run.CombinedOutput(); err != nil {
		a.tb.Errorf("openssl %v: %v\n%s", args, err, out)
	}
}

func (a *authority) write(name string, text []byte) {
	a.tb.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), text, 0o600); err != nil {
		a.tb.Fatal(err)
	}
}

func (a *authority) read(name string) []byte {
	a.tb.Helper()
	text, err := os.ReadFile(filepath.Join(a.dir, name))
	if err != nil {
		a.tb.Error(err)
	}
	return text
}

func (a *authority) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	query, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Type") != "application/timestamp-query" {
		a.tb.Errorf("asked with %q: %v", r.Header.Get("Content-Type"), err)
	}
	w.Header().Set("Content-Type", "application/timestamp-reply")
	if a.handle != nil {
		a.handle(w, query)
		return
	}
	_, _ = w.Write(a.reply(query, "tsa"))
}

// reply is what OpenSSL answers.
func (a *authority) reply(query []byte, section string) []byte {
	a.write("query", query)
	a.openssl("ts", "-reply", "-config", "openssl.cnf", "-section", section, "-queryfile", "query", "-out", "reply")
	return a.read("reply")
}

// behaves has it answer by f; nil as it has to.
func (a *authority) behaves(f func(w http.ResponseWriter, query []byte)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handle = f
}

func (a *authority) times() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked
}

func (a *authority) asks() []attest.Asked {
	return []attest.Asked{{Kind: attest.Stamps, Name: "tsa.example/tsr", URL: a.url}}
}

// overOther is the query for another text, of the same nonce.
func overOther(query []byte, text string) []byte {
	other, own := sha256.Sum256([]byte("another text")), sha256.Sum256([]byte(text))
	return bytes.Replace(query, own[:], other[:], 1)
}
