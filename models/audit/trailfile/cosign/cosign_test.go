package cosign_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
)

const text = "tienda.example/bitacora\n5\nCAX7fKA6+3MHOzE8Kiq8U8V/9vVlHudRl9HVgcuNTrU=\ntime 2026-11-21T01:59:59.25Z\n"

func TestCosignatures(t *testing.T) {
	t.Parallel()
	private, public, err := cosign.Generate("testigo.example/1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := cosign.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { return at }
	v, err := cosign.NewVerifier(public)
	if err != nil || v.String() != public || s.Public() != public || v.KeyHash() != s.KeyHash() {
		t.Fatalf("NewVerifier(%q) = %v, %v; the signer's is %q", public, v, err, s.Public())
	}

	// The note package of the checksum database has the last word about the form.
	signed, err := note.Sign(&note.Note{Text: text}, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open(signed, note.VerifierList(v)); err != nil {
		t.Fatalf("Open(%q) = %v", signed, err)
	}
	line, err := s.Line(text)
	if err != nil || string(signed) != text+"\n"+line+"\n" {
		t.Errorf("Line = %q, %v; the note is %q", line, err, signed)
	}
	l, err := notes.ReadLine(line)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cosign.Time(l.Bytes); err != nil || !got.Equal(at) {
		t.Errorf("Time = %s, %v, want %s", got, err, at)
	}
	for i := range l.Bytes {
		l.Bytes[i] ^= 1
		if v.Verify([]byte(text), l.Bytes) {
			t.Errorf("verified with byte %d changed", i)
		}
		l.Bytes[i] ^= 1
	}
	if v.Verify([]byte(text+"x"), l.Bytes) || v.Verify([]byte(text), l.Bytes[8:]) || v.Verify([]byte(text), nil) {
		t.Error("verified what it did not sign")
	}
}

// TestAnotherWitness verifies what torchwood v0.9.0 signed, whose code nobody here wrote, by
// the seed 21, 32 times.
func TestAnotherWitness(t *testing.T) {
	t.Parallel()
	v, err := cosign.NewVerifier("litewitness.example+0b5926d6+BNVCB9oZSXfc9Grb/sK8LnW1LVqKQhhP7f3AACTw4+ja")
	if err != nil {
		t.Fatal(err)
	}
	l, err := notes.ReadLine("— litewitness.example C1km1gAAAABrCaQTBsUj9V61WTg9jivw9Z0sL8hrehf2oHbVy29Q" +
		"QnMwdDXRYjEfnMv28xBtLHhLIv4W55H1iojBTc9m5M4GF0/YAA==")
	if err != nil {
		t.Fatal(err)
	}
	at, err := cosign.Time(l.Bytes)
	if !v.Verify([]byte(text), l.Bytes) || l.Hash != v.KeyHash() || err != nil || at.Unix() != 1795793939 {
		t.Errorf("its cosignature of %s does not verify, %v", at, err)
	}
}

func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	private, public, _ := cosign.Generate("testigo.example/1")
	trail := "tienda.example/bitacora+06a7ab93+AT8Jl9nZk0FrkAi5ZTFzm4ZH0wJAxHM64zTdlNBj2s1Z"
	tests := []struct {
		name, key string
		want      error
	}{
		{"one of a trail", trail, nil},
		{"a private key", private, cosign.ErrPrivate},
		{"another hash", strings.Replace(public, "+", "+0", 1), nil},
		{"another name", strings.Replace(public, "testigo", "testiga", 1), nil},
		{"nothing", "", nil},
		{"one part", "testigo", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := cosign.NewVerifier(tt.key); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("NewVerifier(%q) = %v, want %v", tt.key, err, tt.want)
			}
		})
	}
	if _, err := cosign.NewSigner(public); err == nil || strings.Contains(err.Error(), public) {
		t.Errorf("NewSigner(public) = %v", err)
	}
	if _, _, err := cosign.Generate("dos palabras"); err == nil {
		t.Error("Generate took a name with a blank")
	}
}
