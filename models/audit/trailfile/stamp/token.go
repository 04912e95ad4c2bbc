package stamp

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Token is what a time stamp says, before anything of it is verified.
type Token struct {
	Imprint [32]byte // SHA-256 of what was stamped
	Time    time.Time
	Policy  string // the authority's, as numbers with points
	Serial  *big.Int
	Nonce   *big.Int // nil where it has none

	content      []byte // the TSTInfo, which the message digest is of
	certificates []*x509.Certificate
	signer       signer
}

// signer is what the one signer of a token wrote.
type signer struct {
	issuer, serial []byte // of its certificate; a DER name, and the bytes of an integer
	digest         crypto.Hash
	signed         []byte // the attributes as they are signed
	contentType    []byte
	messageDigest  []byte
	certificate    named // its certificate
	older          named // the same as older authorities say it, by SHA-1
	rsa            bool  // by which kind of key
	signatureHash  crypto.Hash
	signature      []byte
}

// named is a certificate by its hash.
type named struct {
	by   crypto.Hash
	hash []byte
}

// ErrMalformed is of what is no time stamp as FORMAT.md has them.
var ErrMalformed = errors.New("no time stamp that can be read")

func object(numbers ...int) []byte {
	der, _ := asn1.Marshal(asn1.ObjectIdentifier(numbers))
	return der[2:]
}

var (
	oidSignedData     = object(1, 2, 840, 113549, 1, 7, 2)
	oidTSTInfo        = object(1, 2, 840, 113549, 1, 9, 16, 1, 4)
	oidContentType    = object(1, 2, 840, 113549, 1, 9, 3)
	oidMessageDigest  = object(1, 2, 840, 113549, 1, 9, 4)
	oidCertificate    = object(1, 2, 840, 113549, 1, 9, 16, 2, 12) // signingCertificate, SHA-1
	oidCertificateV2  = object(1, 2, 840, 113549, 1, 9, 16, 2, 47)
	oidRSA            = object(1, 2, 840, 113549, 1, 1, 1)
	hashes            = map[string]crypto.Hash{}
	signatureRSA      = map[string]crypto.Hash{}
	signatureECDSA    = map[string]crypto.Hash{}
	generalizedTime   = regexp.MustCompile(`^[2-9]\d{13}(\.\d{0,8}[1-9])?Z$`)
	supportedInOrder  = []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}
	errSigner         = errors.New("its signer is not as it has to be")
	errAttribute      = errors.New("its signed attributes are not as they have to be")
	errInfo           = errors.New("what it says is not as it has to be")
	errUnknownHashing = errors.New("it hashes or signs by an algorithm that is not known here")
)

func init() {
	for i, h := range supportedInOrder {
		hashes[string(object(2, 16, 840, 1, 101, 3, 4, 2, i+1))] = h
		signatureRSA[string(object(1, 2, 840, 113549, 1, 1, 11+i))] = h
		signatureECDSA[string(object(1, 2, 840, 10045, 4, 3, 2+i))] = h
	}
}

// Parse reads a token. Nothing of it is verified.
//
// Errors: ErrMalformed.
func Parse(token []byte) (*Token, error) {
	t := &Token{}
	if err := t.read(token); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return t, nil
}

func (t *Token) read(token []byte) error {
	if len(token) > Max {
		return errors.New("it is too long")
	}
	info, err := only(tagSequence, token)
	if err != nil {
		return err
	}
	parts, err := info.list(tagSequence, 2)
	if err != nil || len(parts) != 2 || parts[0].tag != tagObject || parts[1].tag != tagFirst || !bytes.Equal(parts[0].body, oidSignedData) {
		return errDER
	}
	data, err := only(tagSequence, parts[1].body)
	if err != nil {
		return err
	}
	// version, digest algorithms, content, perhaps certificates and revocations, signers
	if parts, err = data.list(tagSequence, 4); err != nil {
		return err
	}
	if err := t.readContent(parts[2]); err != nil {
		return err
	}
	for _, p := range parts[3 : len(parts)-1] {
		if p.tag == tagFirst {
			if err := t.readCertificates(p); err != nil {
				return err
			}
		}
	}
	signers, err := parts[len(parts)-1].list(tagSet, 1)
	if err != nil || len(signers) != 1 {
		return errSigner
	}
	return t.signer.read(signers[0])
}

func (t *Token) readContent(v value) error {
	parts, err := v.list(tagSequence, 2)
	if err != nil || parts[0].tag != tagObject || !bytes.Equal(parts[0].body, oidTSTInfo) || parts[1].tag != tagFirst {
		return errInfo
	}
	octets, err := only(tagOctets, parts[1].body)
	if err != nil {
		return err
	}
	t.content = octets.body
	info, err := only(tagSequence, octets.body)
	if err != nil {
		return err
	}
	// version, policy, imprint, serial number, time; what follows may be missing
	if parts, err = info.list(tagSequence, 5); err != nil {
		return errInfo
	}
	if !bytes.Equal(parts[0].all, []byte{tagInteger, 1, 1}) || parts[1].tag != tagObject ||
		parts[3].tag != tagInteger || len(parts[3].body) == 0 {
		return errInfo
	}
	var policy asn1.ObjectIdentifier
	if _, err := asn1.Unmarshal(parts[1].all, &policy); err == nil {
		t.Policy = policy.String()
	}
	t.Serial = new(big.Int).SetBytes(parts[3].body)
	for _, p := range parts[5:] {
		if p.tag == tagInteger {
			t.Nonce = new(big.Int).SetBytes(p.body)
		}
	}
	if t.Time, err = readTime(parts[4]); err != nil {
		return err
	}
	return t.readImprint(parts[2])
}

func (t *Token) readImprint(v value) error {
	parts, err := v.list(tagSequence, 2)
	if err != nil || parts[1].tag != tagOctets {
		return errInfo
	}
	by, err := algorithm(parts[0])
	if err != nil {
		return err
	}
	if hashes[string(by)] != crypto.SHA256 || len(parts[1].body) != len(t.Imprint) {
		return errors.New("its imprint is no SHA-256")
	}
	t.Imprint = [32]byte(parts[1].body)
	return nil
}

// readTime reads a time of RFC 3161: UTC, with at most nine digits behind the point, of
// which microseconds are kept.
func readTime(v value) (time.Time, error) {
	if v.tag != tagGeneralized || !generalizedTime.Match(v.body) {
		return time.Time{}, errInfo
	}
	at, err := time.Parse("20060102150405Z", string(v.body[:14])+"Z")
	if err != nil {
		return at, errInfo
	}
	if len(v.body) > 15 {
		micros, err := strconv.Atoi(string(append(bytes.Clone(v.body[15:len(v.body)-1]), "00000"...)[:6]))
		if err != nil {
			return at, errInfo
		}
		at = at.Add(time.Duration(micros) * time.Microsecond)
	}
	return at, nil
}

// readCertificates reads what certificates it can. One that it cannot read is as if it
// were not there.
func (t *Token) readCertificates(set value) error {
	parts, err := set.parts()
	if err != nil {
		return err
	}
	for _, p := range parts {
		if c, err := x509.ParseCertificate(p.all); err == nil {
			t.certificates = append(t.certificates, c)
		}
	}
	return nil
}

func (s *signer) read(v value) error {
	parts, err := v.list(tagSequence, 6)
	// version 1, issuer and serial number, digest, attributes, signature's algorithm, signature
	if err != nil || !bytes.Equal(parts[0].all, []byte{tagInteger, 1, 1}) || parts[3].tag != tagFirst || parts[5].tag != tagOctets {
		return errSigner
	}
	who, err := parts[1].list(tagSequence, 2)
	if err != nil || len(who) != 2 || who[1].tag != tagInteger {
		return errSigner
	}
	s.issuer, s.serial, s.signature = who[0].all, who[1].body, parts[5].body
	by, err := algorithm(parts[2])
	if err != nil {
		return err
	}
	if s.digest = hashes[string(by)]; s.digest == 0 {
		return errUnknownHashing
	}
	if by, err = algorithm(parts[4]); err != nil {
		return err
	}
	switch {
	case bytes.Equal(by, oidRSA):
		s.rsa, s.signatureHash = true, s.digest
	case signatureRSA[string(by)] != 0:
		s.rsa, s.signatureHash = true, signatureRSA[string(by)]
	case signatureECDSA[string(by)] != 0:
		s.signatureHash = signatureECDSA[string(by)]
	default:
		return errUnknownHashing
	}
	s.signed = append([]byte{tagSet}, parts[3].all[1:]...)
	return s.readAttributes(parts[3])
}

// readAttributes reads the attributes that are signed: each at most once, with one value.
func (s *signer) readAttributes(set value) error {
	list, err := set.parts()
	if err != nil {
		return err
	}
	var seen []string
	for _, a := range list {
		parts, err := a.list(tagSequence, 2)
		if err != nil || len(parts) != 2 || parts[0].tag != tagObject || slices.Contains(seen, string(parts[0].body)) {
			return errAttribute
		}
		seen = append(seen, string(parts[0].body))
		values, err := parts[1].list(tagSet, 1)
		if err != nil || len(values) != 1 {
			return errAttribute
		}
		if err := s.attribute(parts[0].body, values); err != nil {
			return err
		}
	}
	if s.certificate.hash == nil {
		s.certificate = s.older
	}
	if s.contentType == nil || s.messageDigest == nil || s.certificate.hash == nil {
		return errAttribute
	}
	return nil
}

func (s *signer) attribute(kind []byte, values []value) error {
	v := values[0]
	var err error
	switch {
	case bytes.Equal(kind, oidContentType):
		if s.contentType = v.body; v.tag != tagObject {
			err = errAttribute
		}
	case bytes.Equal(kind, oidMessageDigest):
		if s.messageDigest = v.body; v.tag != tagOctets {
			err = errAttribute
		}
	case bytes.Equal(kind, oidCertificateV2):
		s.certificate, err = readNamed(v, crypto.SHA256)
	case bytes.Equal(kind, oidCertificate):
		s.older, err = readNamed(v, crypto.SHA1)
	}
	return err
}

// readNamed reads which certificate the signer names first: by SHA-1 in the first version
// of the attribute, in the second by SHA-256 unless it names another hash.
func readNamed(v value, by crypto.Hash) (n named, err error) {
	parts, err := v.list(tagSequence, 1)
	if err != nil {
		return n, errAttribute
	}
	certificates, err := parts[0].list(tagSequence, 1)
	if err != nil {
		return n, errAttribute
	}
	if parts, err = certificates[0].list(tagSequence, 1); err != nil {
		return n, errAttribute
	}
	if by != crypto.SHA1 && parts[0].tag == tagSequence {
		name, err := algorithm(parts[0])
		if err != nil {
			return n, err
		}
		if by, parts = hashes[string(name)], parts[1:]; by == 0 {
			return n, errUnknownHashing
		}
	}
	if len(parts) == 0 || parts[0].tag != tagOctets {
		return n, errAttribute
	}
	return named{by, parts[0].body}, nil
}

// algorithm reads the name of an algorithm; its parameters say nothing that matters here.
func algorithm(v value) ([]byte, error) {
	parts, err := v.list(tagSequence, 1)
	if err != nil || parts[0].tag != tagObject {
		return nil, errDER
	}
	return parts[0].body, nil
}
