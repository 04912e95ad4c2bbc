package attest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"io"
	"math/big"
	"mime"
	"net/http"
	"net/url"

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile/stamp"
)

// maxAnswer is how long an authority's answer may be, so that its line fits in a note beside
// others.
const maxAnswer = 24 << 10

// errRedirected refuses to follow a redirect: who is asked is said in the settings.
var errRedirected = errors.New("it redirects to another address")

// request asks for a time stamp (RFC 3161, 2.4.1). Its nonce ties the answer to it, and it
// asks for the authority's certificates, without which nobody could verify the stamp later.
type request struct {
	Version int
	Imprint struct {
		Algorithm pkix.AlgorithmIdentifier
		Hash      []byte
	}
	Nonce   *big.Int
	CertReq bool
}

// newRequest asks for a stamp over a text.
func newRequest(text string) (r request, err error) {
	sum := sha256.Sum256([]byte(text))
	r.Version, r.CertReq = 1, true
	r.Imprint.Algorithm = pkix.AlgorithmIdentifier{Algorithm: oidSHA256, Parameters: asn1.NullRawValue}
	r.Imprint.Hash = sum[:]
	r.Nonce, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	return r, err
}

var oidSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}

// response is the answer (RFC 3161, 2.4.2).
type response struct {
	Status struct {
		Status int
		Text   []asn1.RawValue `asn1:"optional"`
		Fail   asn1.BitString  `asn1:"optional"`
	}
	Token asn1.RawValue `asn1:"optional"`
}

// stamp asks an authority for a time stamp over a checkpoint.
func (s *Service) stamp(ctx context.Context, a Asked, latest *sealing.Checkpoint) (signature, error) {
	text, _, err := bare(latest)
	if err != nil {
		return signature{}, err
	}
	asking, err := newRequest(text)
	if err != nil {
		return signature{}, err
	}
	body, err := asn1.Marshal(asking)
	if err != nil {
		return signature{}, err
	}
	answer, err := s.post(ctx, a.URL, body)
	if err != nil {
		return signature{}, err
	}
	token, err := tokenOf(answer, asking.Nonce)
	if err != nil {
		return signature{}, err
	}
	// Whether its certificate is one that somebody trusts is for them to say.
	info, err := stamp.Fits(token, text)
	if err != nil {
		return signature{}, wrong("%v", err)
	}
	return signature{stamp.Line(a.Name, token), info.Time}, nil
}

// post sends a request as RFC 3161, 3.4 has it.
func (s *Service) post(ctx context.Context, address string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, away("its address cannot be asked")
	}
	r.Header.Set("Content-Type", "application/timestamp-query")
	r.Header.Set("User-Agent", "veinte")
	client := *s.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirected }
	resp, err := client.Do(r)
	if err != nil {
		return nil, away("%v", withoutAddress(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, away("it answers %s", resp.Status)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "application/timestamp-reply" {
		return nil, wrong("it answers %q, not a time stamp; is this the address of an authority (RFC 3161)?", resp.Header.Get("Content-Type"))
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, away("%v", withoutAddress(err))
	}
	if len(answer) > maxAnswer {
		return nil, wrong("its answer is longer than %d bytes", maxAnswer)
	}
	return answer, nil
}

// tokenOf returns the token of an answer to the request with that nonce.
func tokenOf(answer []byte, nonce *big.Int) ([]byte, error) {
	var r response
	if rest, err := asn1.Unmarshal(answer, &r); err != nil || len(rest) > 0 {
		return nil, wrong("its answer is no time stamp")
	}
	if r.Status.Status > 1 { // 0 is granted, 1 granted with modifications
		said := ""
		for _, text := range r.Status.Text {
			said += " " + string(text.Bytes)
		}
		return nil, wrong("it refuses to stamp: status %d%s", r.Status.Status, said)
	}
	token, err := stamp.Parse(r.Token.FullBytes)
	if err != nil {
		return nil, wrong("its answer is no time stamp: %v", err)
	}
	if token.Nonce == nil || token.Nonce.Cmp(nonce) != 0 {
		return nil, wrong("its stamp answers another request: the nonce is not the one that was sent")
	}
	return r.Token.FullBytes, nil
}

// withoutAddress is an error of the HTTP client without the address, which may hold a
// password.
func withoutAddress(err error) error {
	var with *url.Error
	if errors.As(err, &with) {
		return with.Err
	}
	return err
}
