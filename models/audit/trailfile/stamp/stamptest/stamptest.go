// Package stamptest is an authority for time stamps in tests: OpenSSL's ts, with a root
// and a certificate of its own.
package stamptest

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Authority is one that stamps.
type Authority struct {
	tb  testing.TB
	dir string
}

// Options are what an authority's certificate is like. Zero is one that is right.
type Options struct {
	Name       string // common name; "Sellos de prueba" until it is set
	Elliptic   bool   // P-256, the root P-384; RSA otherwise
	Under      *Authority
	From, To   string   // validity, like 20260101000000Z; 2020 to 2050 until set
	Purpose    string   // extendedKeyUsage; "critical,timeStamping" until set
	Between    bool     // an authority between the root and the certificate
	Extensions []string // more lines for the certificate
	OldHash    bool     // its certificate is named by SHA-1, as older authorities do
}

// New makes an authority with a root of its own, or under that of another one.
func New(tb testing.TB, o Options) *Authority {
	tb.Helper()
	a := &Authority{tb, tb.TempDir()}
	if o.Name == "" {
		o.Name = "Sellos de prueba"
	}
	if o.From == "" {
		o.From = "20200101000000Z"
	}
	if o.To == "" {
		o.To = "20500101000000Z"
	}
	if o.Purpose == "" {
		o.Purpose = "critical,timeStamping"
	}
	hash := "sha256"
	if o.OldHash {
		hash = "sha1"
	}
	a.write("ca.cnf", fmt.Sprintf(configuration, a.dir, o.Purpose, strings.Join(o.Extensions, "\n"), hash))
	a.write("index.txt", "")
	a.write("tsaserial", "01")
	curve, rootCurve := "rsa:2048", "rsa:2048"
	if o.Elliptic {
		a.run("ecparam", "-name", "prime256v1", "-out", "p256.pem")
		a.run("ecparam", "-name", "secp384r1", "-out", "p384.pem")
		curve, rootCurve = "ec:p256.pem", "ec:p384.pem"
	}
	if o.Under != nil {
		for _, name := range []string{"root.pem", "root.key"} {
			a.write(name, o.Under.read(name))
		}
	} else {
		a.request("root", rootCurve, "Raíz de "+o.Name)
		a.issue("root", "root", always, "-selfsign", "-extensions", "root")
	}
	by := "root"
	if o.Between {
		a.request("mid", curve, "Intermedia")
		a.issue("mid", "root", always, "-cert", "root.pem", "-extensions", "root")
		by = "mid"
	}
	a.write("chain.pem", a.read(by+".pem"))
	a.request("tsa", curve, o.Name)
	a.issue("tsa", by, [2]string{o.From, o.To}, "-cert", by+".pem", "-extensions", "tsa")
	return a
}

// always is how long certificates of authorities are valid.
var always = [2]string{"20200101000000Z", "20500101000000Z"}

// request makes a key and asks for a certificate.
func (a *Authority) request(name, kind, called string) {
	a.tb.Helper()
	a.run("req", "-new", "-newkey", kind, "-nodes", "-keyout", name+".key", "-out", name+".csr",
		"-subj", "/O=Pruebas/CN="+called, "-utf8", "-config", "ca.cnf")
}

// issue issues what was asked for, by the key of another one.
func (a *Authority) issue(name, by string, valid [2]string, more ...string) {
	a.tb.Helper()
	a.run(append([]string{
		"ca", "-batch", "-config", "ca.cnf", "-keyfile", by + ".key", "-in", name + ".csr", "-out", name + ".pem", "-notext",
		"-startdate", valid[0], "-enddate", valid[1],
	}, more...)...)
}

// configuration is OpenSSL's, with the folder, the purpose, more extensions, and the hash by
// which a certificate is named.
const configuration = `
[ca]
default_ca = ours
[ours]
dir = %[1]s
database = index.txt
new_certs_dir = %[1]s
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[req]
distinguished_name = dn
prompt = no
[dn]
CN = x
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[tsa]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = %[2]s
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
%[3]s
[tsa_config]
default_tsa = stamps
[stamps]
serial = tsaserial
signer_cert = tsa.pem
certs = chain.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = %[4]s
`

// Stamp stamps a text as of now, and returns the token.
func (a *Authority) Stamp(text string) []byte {
	a.tb.Helper()
	sum := sha256.Sum256([]byte(text))
	a.run("ts", "-query", "-digest", hex.EncodeToString(sum[:]), "-sha256", "-cert", "-out", "q.tsq")
	a.run("ts", "-reply", "-config", "ca.cnf", "-section", "stamps", "-queryfile", "q.tsq", "-token_out", "-out", "t.der")
	return []byte(a.read("t.der"))
}

// Sign signs what another authority's token says as if this one had said it. It asks
// nothing of the certificate, where OpenSSL's ts refuses one that is not for stamps.
func (a *Authority) Sign(token []byte) []byte {
	a.tb.Helper()
	a.write("other.der", string(token))
	a.run("cms", "-verify", "-noverify", "-inform", "DER", "-in", "other.der", "-binary", "-out", "info.der")
	a.run("cms", "-sign", "-in", "info.der", "-binary", "-nodetach", "-outform", "DER", "-econtent_type", "1.2.840.113549.1.9.16.1.4",
		"-signer", "tsa.pem", "-inkey", "tsa.key", "-certfile", "chain.pem", "-md", "sha256", "-cades", "-nosmimecap", "-out", "signed.der")
	return []byte(a.read("signed.der"))
}

// Renewed is a token in which the certificate stands that the authority has now, with the
// same number and key as the one that it signed by, and another end.
func (a *Authority) Renewed(token []byte) []byte {
	a.tb.Helper()
	a.run("x509", "-in", "tsa.pem", "-outform", "DER", "-out", "was.der")
	a.run("x509", "-in", "tsa.pem", "-noout", "-serial", "-out", "serial.txt")
	a.write("serial", strings.TrimPrefix(a.read("serial.txt"), "serial="))
	a.write("index.txt", "")
	a.write("ca.cnf", strings.Replace(a.read("ca.cnf"), "rand_serial = yes", "serial = serial", 1))
	a.issue("tsa", "root", [2]string{"20200101000000Z", "20510101000000Z"}, "-cert", "chain.pem", "-extensions", "tsa")
	a.run("x509", "-in", "tsa.pem", "-outform", "DER", "-out", "is.der")
	is, was := a.read("is.der"), a.read("was.der")
	if len(is) != len(was) || !bytes.Contains(token, []byte(was)) {
		a.tb.Fatal("the certificate is not in the stamp, or as long as another one")
	}
	return bytes.Replace(token, []byte(was), []byte(is), 1)
}

// Reply answers a request (application/timestamp-query) as the authority does over HTTP.
func (a *Authority) Reply(query []byte) []byte {
	a.tb.Helper()
	a.write("q.tsq", string(query))
	a.run("ts", "-reply", "-config", "ca.cnf", "-section", "stamps", "-queryfile", "q.tsq", "-out", "r.tsr")
	return []byte(a.read("r.tsr"))
}

// Root is the certificate of its root in PEM.
func (a *Authority) Root() string { return a.read("root.pem") }

// Roots trusts its root alone.
func (a *Authority) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(a.Root()))
	return pool
}

func (a *Authority) run(arguments ...string) {
	a.tb.Helper()
	c := exec.Command("openssl", arguments...)
	c.Dir = a.dir
	c.Env = append(os.Environ(), "RANDFILE="+filepath.Join(a.dir, "rnd"))
	var said bytes.Buffer
	c.Stderr, c.Stdout = &said, &said
	if err := c.Run(); err != nil {
		a.tb.Fatalf("openssl %s: %v\n%s", strings.Join(arguments, " "), err, said.String())
	}
}

func (a *Authority) write(name, text string) {
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o600); err != nil {
		a.tb.Fatal(err)
	}
}

func (a *Authority) read(name string) string {
	text, err := os.ReadFile(filepath.Join(a.dir, name))
	if err != nil {
		a.tb.Fatal(err)
	}
	return string(text)
}
