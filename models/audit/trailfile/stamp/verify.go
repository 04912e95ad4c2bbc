package stamp

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	_ "crypto/sha1" // by which older authorities name their certificate
	"crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// Info is what an authority vouches for.
type Info struct {
	Time      time.Time // UTC, to the microsecond
	Policy    string    // the authority's, as numbers with points
	Serial    *big.Int
	Nonce     *big.Int // nil where it has none
	Authority string   // the common name in the certificate, or the organization
}

// The errors of a stamp beside ErrMalformed. ErrOther and ErrForged say that somebody
// changed something; the others that this stamp convinces nobody who has these roots.
var (
	ErrOther     = errors.New("the stamp is of another text")
	ErrForged    = errors.New("the stamp was changed after its authority signed it, or forged")
	ErrUntrusted = errors.New("the stamp's certificate does not lead to a root that was given")
	ErrPurpose   = errors.New("the stamp's certificate is not one for time stamps alone")
	ErrExpired   = errors.New("the stamp's certificate was not valid when it stamped")
)

// Verify verifies the stamp of a text by the roots of authorities that are trusted. What
// happened to the certificates since it was made does not matter, and nobody is asked
// whether they were revoked.
//
// Errors, in this order: ErrMalformed, ErrOther, ErrUntrusted, ErrPurpose, ErrExpired,
// ErrForged.
func Verify(token []byte, text string, roots *x509.CertPool) (Info, error) {
	t, info, err := fits(token, text)
	if err != nil {
		return info, err
	}
	c := t.certificate()
	if c == nil {
		return info, fmt.Errorf("%w: it is not in the stamp", ErrUntrusted)
	}
	if err := t.judge(c, roots); err != nil {
		return info, err
	}
	return info, t.verify(c)
}

// Fits verifies what can be verified of a stamp without a root: that it is of the text,
// and signed by the certificate in it. Whether the authority is the one that it calls
// itself remains open: that is what Verify is for.
//
// Errors: ErrMalformed, ErrOther, ErrForged; ErrUntrusted when it has no certificate.
func Fits(token []byte, text string) (Info, error) {
	t, info, err := fits(token, text)
	if err != nil {
		return info, err
	}
	c := t.certificate()
	if c == nil {
		return info, fmt.Errorf("%w: it is not in the stamp", ErrUntrusted)
	}
	return info, t.verify(c)
}

func fits(token []byte, text string) (*Token, Info, error) {
	t, err := Parse(token)
	if err != nil {
		return nil, Info{}, err
	}
	info := Info{Time: t.Time, Policy: t.Policy, Serial: t.Serial, Nonce: t.Nonce}
	if c := t.certificate(); c != nil {
		if info.Authority = c.Subject.CommonName; info.Authority == "" && len(c.Subject.Organization) > 0 {
			info.Authority = c.Subject.Organization[0]
		}
	}
	if !t.Of(text) {
		return t, info, ErrOther
	}
	return t, info, nil
}

// certificate finds the signer's among those of the token.
func (t *Token) certificate() *x509.Certificate {
	for _, c := range t.certificates {
		serial, err := asn1.Marshal(c.SerialNumber)
		if err == nil && bytes.Equal(c.RawIssuer, t.signer.issuer) && bytes.Equal(serial[2:], t.signer.serial) {
			return c
		}
	}
	return nil
}

// known are the extensions of certificates that may be critical here: the use of the key,
// the authority that it belongs to, policies, the purpose.
var known = []string{"2.5.29.15", "2.5.29.19", "2.5.29.32", "2.5.29.37"}

// judge judges the certificate and those that vouch for it, as they were when it stamped.
func (t *Token) judge(c *x509.Certificate, roots *x509.CertPool) error {
	above := x509.NewCertPool()
	for _, other := range t.certificates {
		above.AddCert(other)
	}
	if roots == nil {
		roots = x509.NewCertPool() // not those of the machine
	}
	chains, err := c.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: above, CurrentTime: t.Time, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if invalid := (x509.CertificateInvalidError{}); errors.As(err, &invalid) && invalid.Reason == x509.Expired {
		return fmt.Errorf("%w: %w", ErrExpired, err)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUntrusted, err)
	}
	if !slices.ContainsFunc(chains, plain) {
		return fmt.Errorf("%w: by kinds of keys and extensions that are known here", ErrUntrusted)
	}
	if !purpose(c) {
		return ErrPurpose
	}
	return nil
}

// plain reports whether a chain has only what every verifier of a trail knows.
func plain(chain []*x509.Certificate) bool {
	for i, c := range chain {
		if !knownKey(c) || i+1 < len(chain) && !knownSignature(c) || i > 0 && !(c.BasicConstraintsValid && c.IsCA) {
			return false
		}
		if i+1 == len(chain) {
			return true // the root is trusted as it is
		}
		for _, e := range c.Extensions {
			if e.Critical && !slices.Contains(known, e.Id.String()) {
				return false
			}
		}
		any := func(u x509.ExtKeyUsage) bool { return u == x509.ExtKeyUsageAny || u == x509.ExtKeyUsageTimeStamping }
		if i > 0 && len(c.ExtKeyUsage)+len(c.UnknownExtKeyUsage) > 0 && !slices.ContainsFunc(c.ExtKeyUsage, any) {
			return false
		}
	}
	return true
}

func knownKey(c *x509.Certificate) bool {
	switch key := c.PublicKey.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() >= 2048 && key.N.BitLen() <= 8192
	case *ecdsa.PublicKey:
		return key.Curve == elliptic.P256() || key.Curve == elliptic.P384()
	}
	return false
}

func knownSignature(c *x509.Certificate) bool {
	switch c.SignatureAlgorithm {
	case x509.SHA256WithRSA, x509.SHA384WithRSA, x509.SHA512WithRSA, x509.ECDSAWithSHA256, x509.ECDSAWithSHA384, x509.ECDSAWithSHA512:
		return true
	}
	return false
}

// purpose reports whether a certificate is for time stamps and nothing else, and says so
// critically (RFC 3161, 2.3).
func purpose(c *x509.Certificate) bool {
	alone := len(c.UnknownExtKeyUsage) == 0 && slices.Equal(c.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping})
	return alone && slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Critical && e.Id.String() == "2.5.29.37" })
}

// verify verifies what the signer signed: its content, its certificate, and both by the
// key.
func (t *Token) verify(c *x509.Certificate) error {
	s := &t.signer
	switch {
	case !bytes.Equal(s.contentType, oidTSTInfo), !bytes.Equal(s.messageDigest, sum(s.digest, t.content)):
		return fmt.Errorf("%w: what it says is not what was signed", ErrForged)
	case !bytes.Equal(s.certificate.hash, sum(s.certificate.by, c.Raw)):
		return fmt.Errorf("%w: its certificate is not the one that was signed", ErrForged)
	}
	hashed := sum(s.signatureHash, s.signed)
	ok := false
	switch key := c.PublicKey.(type) {
	case *rsa.PublicKey:
		ok = s.rsa && rsa.VerifyPKCS1v15(key, s.signatureHash, hashed, s.signature) == nil
	case *ecdsa.PublicKey:
		ok = !s.rsa && ecdsa.VerifyASN1(key, hashed, s.signature)
	}
	if !ok {
		return ErrForged
	}
	return nil
}

func sum(by crypto.Hash, of []byte) []byte {
	h := by.New()
	h.Write(of)
	return h.Sum(nil)
}

// Of reports whether it is the stamp of a text.
func (t *Token) Of(text string) bool { return t.Imprint == sha256.Sum256([]byte(text)) }
