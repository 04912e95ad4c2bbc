package stamp_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/trailfile/stamp"
	"veinte/models/audit/trailfile/stamp/stamptest"
)

const text = "tienda.example/bitacora\n5\nCAX7fKA6+3MHOzE8Kiq8U8V/9vVlHudRl9HVgcuNTrU=\ntime 2026-11-21T01:59:59.25Z\n"

func TestVerify(t *testing.T) {
	t.Parallel()
	right := stamptest.New(t, stamptest.Options{})
	curve := stamptest.New(t, stamptest.Options{Elliptic: true, Between: true})
	token, elliptic := right.Stamp(text), curve.Stamp(text)
	of := func(o stamptest.Options) []byte {
		o.Under = right
		return stamptest.New(t, o).Stamp(text)
	}
	signed := func(o stamptest.Options) []byte {
		o.Under = right
		return stamptest.New(t, o).Sign(token)
	}
	changed := bytes.Replace(token, []byte("20"+time.Now().UTC().Format("060102")), []byte("20250102"), 1)
	broken := bytes.Clone(token)
	broken[len(broken)-1] ^= 1
	tests := []struct {
		name  string
		token []byte
		text  string
		roots *x509.CertPool
		want  error
	}{
		{"RSA", token, text, right.Roots(), nil},
		{"elliptic, with one between", elliptic, text, curve.Roots(), nil},
		{"its certificate named by SHA-1", of(stamptest.Options{OldHash: true}), text, right.Roots(), nil},
		{"another text", token, strings.Replace(text, "5", "6", 1), right.Roots(), stamp.ErrOther},
		{"another root", token, text, curve.Roots(), stamp.ErrUntrusted},
		{"no root", token, text, nil, stamp.ErrUntrusted},
		{"not for time stamps", signed(stamptest.Options{Purpose: "critical,timeStamping,codeSigning"}), text, right.Roots(), stamp.ErrPurpose},
		{"not critically for time stamps", signed(stamptest.Options{Purpose: "timeStamping"}), text, right.Roots(), stamp.ErrPurpose},
		{"signed by another program", signed(stamptest.Options{}), text, right.Roots(), nil},
		{"valid until yesterday", of(stamptest.Options{To: "20261101000000Z"}), text, right.Roots(), stamp.ErrExpired},
		{
			"an extension nobody knows", of(stamptest.Options{Extensions: []string{"1.2.3.4=critical,DER:0500"}}),
			text, right.Roots(), stamp.ErrUntrusted,
		},
		{"another time", changed, text, right.Roots(), stamp.ErrForged},
		{"another signature", broken, text, right.Roots(), stamp.ErrForged},
		{"nothing", nil, text, right.Roots(), stamp.ErrMalformed},
		{"a byte behind it", append(bytes.Clone(token), 0), text, right.Roots(), stamp.ErrMalformed},
		{"cut", token[:len(token)-1], text, right.Roots(), stamp.ErrMalformed},
		{"a certificate alone", bytes.Clone(mustRoot(t, right)), text, right.Roots(), stamp.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			info, err := stamp.Verify(tt.token, tt.text, tt.roots)
			if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Fatalf("Verify = %v, want %v", err, tt.want)
			}
			if err == nil && (time.Since(info.Time) > time.Hour ||
				info.Authority != "Sellos de prueba" || info.Policy != "1.2.3.4.1" || info.Nonce == nil) {
				t.Errorf("Verify says %+v", info)
			}
		})
	}
	if _, err := stamp.Fits(token, text); err != nil {
		t.Errorf("Fits = %v", err)
	}
	if _, err := stamp.Fits(changed, text); !errors.Is(err, stamp.ErrForged) {
		t.Errorf("Fits(changed) = %v, want %v", err, stamp.ErrForged)
	}
}

// TestWhateverIsChangedIsSeen changes each byte of a stamp: it never says anything else
// than it did, and nothing panics.
func TestWhateverIsChangedIsSeen(t *testing.T) {
	t.Parallel()
	a := stamptest.New(t, stamptest.Options{Elliptic: true})
	token, roots := a.Stamp(text), a.Roots()
	said, err := stamp.Verify(token, text, roots)
	if err != nil {
		t.Fatal(err)
	}
	for i := range token {
		other := bytes.Clone(token)
		other[i] ^= 1 << (i % 8)
		if got, err := stamp.Verify(other, text, roots); err == nil && !got.Time.Equal(said.Time) {
			t.Errorf("byte %d changed: it says %s", i, got.Time)
		}
	}
}

func TestLinesOfANote(t *testing.T) {
	t.Parallel()
	note := text + "\n" + stamp.Line("tsa.example/tsr", []byte("token")) + "\n"
	got := stamp.InNote(note)
	if len(got) != 1 || got[0].Name != "tsa.example/tsr" || string(got[0].Token) != "token" {
		t.Errorf("InNote(%q) = %q", note, got)
	}
	other := strings.Replace(note, "tsa.example/tsr", "tsa.example/tss", 1)
	if got := stamp.InNote(other); got != nil {
		t.Errorf("InNote(%q) = %q, want none: the hash is of another name", other, got)
	}
}

func mustRoot(t *testing.T, a *stamptest.Authority) []byte {
	t.Helper()
	der, err := asn1.Marshal(asn1.RawValue{Tag: 16, IsCompound: true, Bytes: []byte(a.Root())})
	if err != nil {
		t.Fatal(err)
	}
	return der
}
