// Package witness speaks C2SP's tlog-witness: whoever seals a trail asks a witness with
// Client to cosign a checkpoint, and Witness answers as one. A witness cosigns a checkpoint
// only with a proof that the trail continues what it cosigned before, so a trail that is
// shown to different people in different states is found out.
//
// It knows nothing of the database, nor of whom to ask when.
package witness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/notes"
)

const (
	// maxProof is how many hashes a request may have.
	maxProof = 63
	// maxAnswer is how long an answer may be, in bytes: as long as the note to which its
	// lines are added.
	maxAnswer = notes.Max
	// answerTime is how long an answer is waited for.
	answerTime = 10 * time.Second
	// sizeType is the content type of an answer that states the witness' size.
	sizeType = "text/x.tlog.size"
)

// Client asks one witness. Its zero value has no URL; several goroutines may use one.
type Client struct {
	// URL is the witness' submission prefix, without /add-checkpoint, http or https. What is
	// sent is public and what comes back is signed, so http reveals and risks nothing.
	URL string
	// HTTP makes the requests; nil is a client that waits ten seconds at most. Redirects
	// are never followed, whatever it says.
	HTTP *http.Client
}

// Refusal is the answer of a witness that did not cosign.
type Refusal struct {
	Status int
	// Said is the first line of the answer, at most 200 bytes, without control characters.
	Said string
	// Size is the size of the checkpoint that the witness cosigned last, when Status is 409
	// and the answer says so; otherwise -1. The next request can prove from there.
	Size int64
}

// Error says what the witness answered.
func (r *Refusal) Error() string {
	if r.Said == "" {
		return fmt.Sprintf("the witness answered %d %s", r.Status, http.StatusText(r.Status))
	}
	return fmt.Sprintf("the witness answered %d %s: %s", r.Status, http.StatusText(r.Status), r.Said)
}

// Fork reports whether a witness that was asked with the size oldSize for one of size newSize
// refused because the trail contradicts what it cosigned before: the proof did not verify,
// or it knows another root of the same size. It is the witness' word alone: whoever
// concludes something from it has to rule out that his own proof was wrong.
//
// A Size above that of the newest checkpoint is another sign, that the trail's end was cut;
// above newSize alone it only means that a newer one was cosigned meanwhile.
func (r *Refusal) Fork(oldSize, newSize int64) bool {
	return r.Status == http.StatusUnprocessableEntity ||
		r.Status == http.StatusConflict && r.Size == oldSize && oldSize == newSize
}

// Add submits a checkpoint, the whole signed note, with the proof that it continues the
// checkpoint of size oldSize, the last that the witness cosigned; 0 and no proof when it
// cosigned none, or when nobody knows. The lines that come back are signature lines of the
// witness, without their ends. They have the right form, but nothing is verified: the caller
// keeps only lines whose key it trusts.
//
// Errors: *Refusal when the witness answered something else; otherwise it could not be
// reached, or its answer is no witness'.
func (c Client) Add(ctx context.Context, oldSize int64, proof []tlog.Hash, note string) (lines []string, err error) {
	body, err := requestBody(oldSize, proof, note)
	if err != nil {
		return nil, fmt.Errorf("ask for a cosignature: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+"/add-checkpoint", strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask for a cosignature: %w", withoutURL(err))
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := c.client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("the witness cannot be reached: %w", withoutURL(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, refusal(resp, text)
	case err != nil:
		return nil, fmt.Errorf("the witness' answer broke off: %w", withoutURL(err))
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the witness' answer is longer than %d bytes", maxAnswer)
	}
	return signatureLines(string(text))
}

// requestBody writes the body of add-checkpoint.
func requestBody(oldSize int64, proof []tlog.Hash, note string) (string, error) {
	switch {
	case oldSize < 0:
		return "", fmt.Errorf("an old size of %d", oldSize)
	case len(proof) > maxProof:
		return "", fmt.Errorf("a proof of %d hashes; at most %d", len(proof), maxProof)
	case oldSize == 0 && len(proof) > 0:
		return "", errors.New("a proof that begins with nothing")
	case notes.Lines(note) == nil:
		return "", errors.New("what is to be cosigned is no signed note")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "old %d\n", oldSize)
	for _, h := range proof {
		b.WriteString(h.String() + "\n")
	}
	b.WriteString("\n" + note)
	return b.String(), nil
}

// client is the client of the requests, which follows no redirect: an address is what the
// operator set, and another server must not answer in its place.
func (c Client) client() *http.Client {
	client := http.Client{Timeout: answerTime}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// signatureLines reads the answer that cosigns.
func signatureLines(text string) ([]string, error) {
	sigs, err := notes.Signatures(text)
	if err != nil {
		return nil, errors.New("the witness' answer has no lines of signatures")
	}
	lines := make([]string, len(sigs))
	for i, s := range sigs {
		lines[i] = notes.Line(s.Name, s.Hash, s.Bytes)
	}
	return lines, nil
}

// refusal reads any other answer. The size is taken strictly: it chooses the next proof.
func refusal(resp *http.Response, text []byte) *Refusal {
	r := &Refusal{Status: resp.StatusCode, Said: firstLine(text), Size: -1}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if r.Status == http.StatusConflict && kind == sizeType {
		size, err := readSize(strings.TrimSuffix(string(text), "\n"))
		if err == nil {
			r.Size = size
		}
	}
	return r
}

// readSize reads a size as the protocol writes it: decimal, without leading zeros.
func readSize(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0, fmt.Errorf("%.30q is no size", text)
	}
	return n, nil
}

// firstLine is the first line of a text of a stranger, fit to be shown and logged.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text[:min(len(text), 200)]), "\n")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, line)
	return strings.TrimSpace(line)
}

// withoutURL takes the address out of an error: an operator's URL may have a password.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
