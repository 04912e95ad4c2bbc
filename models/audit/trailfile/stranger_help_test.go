package trailfile

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/trailfile/stamp"
	"veinte/models/audit/trailfile/stamp/stamptest"
)

// remake has OpenSSL's ts stamp the texts of the cases anew: go test -run Conformance
// -stamps -update. Nothing else changes the stamps, whose time is that of their making.
var remake = flag.Bool("stamps", false, "have OpenSSL make the time stamps of the conformance cases anew")

// stampsFolder has the stamps of the cases, each named by its authority and the text, and
// the root of each authority. Nobody has kept the keys.
const stampsFolder = "testdata/stamps"

// strangersAsked is what a case wants of strangers, as cases.json has it.
type strangersAsked struct {
	Witnesses     []string `json:"witnesses,omitempty"`
	Quorum        int      `json:"quorum,omitempty"`
	Roots         []string `json:"roots,omitempty"`         // files, PEM
	MaxAge        int64    `json:"maxAge,omitempty"`        // seconds
	StampedWithin int64    `json:"stampedWithin,omitempty"` // seconds
	Now           string   `json:"now,omitempty"`
}

// asks fills in what the case wants, as the command would.
func (a strangersAsked) asks(c *Check, roots [][]byte) error {
	for _, text := range a.Witnesses {
		w, err := cosign.NewVerifier(text)
		if err != nil {
			return err
		}
		c.Wishes.Witnesses = append(c.Wishes.Witnesses, w)
	}
	for _, text := range roots {
		if c.Wishes.Roots == nil {
			c.Wishes.Roots = x509.NewCertPool()
		}
		if !c.Wishes.Roots.AppendCertsFromPEM(text) {
			return errors.New("no root")
		}
	}
	c.Wishes.Quorum = a.Quorum
	c.Wishes.MaxAge, c.Wishes.StampedWithin = time.Duration(a.MaxAge)*time.Second, time.Duration(a.StampedWithin)*time.Second
	if a.Now == "" {
		return nil
	}
	var err error
	c.Wishes.Now, err = time.Parse(time.RFC3339Nano, a.Now)
	return err
}

// stamps are the committed stamps.
type stamps struct {
	t           testing.TB
	authorities map[string]*stamptest.Authority
	files       map[string][]byte
}

// kinds are the authorities of the cases. All but those with a root of their own are under
// the one that is right.
var kinds = map[string]stamptest.Options{
	"right":     {},
	"curve":     {Name: "Sellos elípticos", Elliptic: true, Between: true},
	"other":     {Name: "Otra autoridad"},
	"old-hash":  {Name: "Sellos de antes", OldHash: true},
	"expired":   {Name: "Sellos vencidos", To: "20261101000000Z"},
	"soon":      {Name: "Sellos por vencer", To: time.Now().UTC().Add(24 * time.Hour).Format("20060102150405Z")},
	"extension": {Name: "Sellos raros", Extensions: []string{"1.2.3.4=critical,DER:0500"}},
	"purpose":   {Name: "Sellos de todo", Purpose: "critical,timeStamping,codeSigning"},
	"quietly":   {Name: "Sellos sin más", Purpose: "timeStamping"},
	"renewed":   {Name: "Sellos renovados"},
}

func (s *stamps) authority(kind string) *stamptest.Authority {
	if a := s.authorities[kind]; a != nil {
		return a
	}
	o, known := kinds[kind]
	if !known {
		s.t.Fatalf("no authority %q", kind)
	}
	if kind != "right" && kind != "other" && kind != "curve" {
		o.Under = s.authority("right")
	}
	if s.authorities == nil {
		s.authorities = map[string]*stamptest.Authority{}
	}
	s.authorities[kind] = stamptest.New(s.t, o)
	return s.authorities[kind]
}

// file is a committed file, made when the stamps are made anew.
func (s *stamps) file(name string, made func() []byte) []byte {
	s.t.Helper()
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	if text, there := s.files[name]; there {
		return text
	}
	path := filepath.Join(stampsFolder, name)
	if *remake {
		if len(s.files) == 0 {
			must(s.t, os.RemoveAll(stampsFolder))
			must(s.t, os.MkdirAll(stampsFolder, 0o755))
		}
		must(s.t, os.WriteFile(path, made(), 0o644))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatalf("%v; go test -run Conformance -stamps -update makes it", err)
	}
	s.files[name] = text
	return text
}

// root is the root of an authority.
func (s *stamps) root(kind string) []byte {
	return s.file(kind+".pem", func() []byte { return []byte(s.authority(kind).Root()) })
}

// of is the stamp of a text.
func (s *stamps) of(kind, text string) []byte {
	return s.file(fmt.Sprintf("%s-%.6x.der", kind, sha256.Sum256([]byte(text))), func() []byte {
		switch kind {
		case "purpose", "quietly": // those that ts refuses to be
			return s.authority(kind).Sign(s.authority("right").Stamp(text))
		case "renewed":
			return s.authority(kind).Renewed(s.authority(kind).Stamp(text))
		}
		return s.authority(kind).Stamp(text)
	})
}

// used finds stamps that no case has any more.
func (s *stamps) used(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(stampsFolder)
	must(t, err)
	if len(entries) != len(s.files) {
		t.Errorf("%s has %d files, and the cases use %v", stampsFolder, len(entries), slices.Sorted(maps.Keys(s.files)))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The witnesses of the cases, whose seeds are a byte, 32 times.
var (
	firstWitness, firstCosigner   = sampleWitness("contadora.example", 11)
	secondWitness, secondCosigner = sampleWitness("franquicia.example", 12)
	thirdWitness, thirdCosigner   = sampleWitness("auditora.example", 13)
	// newWitness has the name of the first one.
	newWitness, newCosigner = sampleWitness("contadora.example", 14)
)

func sampleWitness(name string, seed byte) (public string, signer *cosign.Signer) {
	raw := append([]byte{4}, bytes.Repeat([]byte{seed}, 32)...)
	text := func(hash string) string {
		return "PRIVATE+KEY+" + name + "+" + hash + "+" + base64.StdEncoding.EncodeToString(raw)
	}
	// The hash is of the public key: a verifier of the trail's kind knows it.
	trail, _ := sampleKey(name, seed)
	key, err := base64.StdEncoding.DecodeString(strings.SplitN(trail, "+", 3)[2])
	if err != nil {
		panic(err)
	}
	key[0] = 4
	hash := sha256.Sum256(slices.Concat([]byte(name+"\n"), key))
	signer, err = cosign.NewSigner(text(fmt.Sprintf("%x", hash[:4])))
	if err != nil {
		panic(err)
	}
	return signer.Public(), signer
}

func textOfNote(note string) string {
	text, _, _ := notes.Cut(note)
	return text
}

// cosigned adds cosignatures of a time to a note.
func (c *cases) cosigned(note string, at time.Time, by ...*cosign.Signer) string {
	for _, s := range by {
		s.Now = func() time.Time { return at }
		line, err := s.Line(textOfNote(note))
		must(c.t, err)
		note = c.lined(note, line)
	}
	return note
}

// stamped adds time stamps of authorities to a note.
func (c *cases) stamped(note string, kinds ...string) string {
	for _, kind := range kinds {
		note = c.lined(note, stamp.Line("tsa.example/"+kind, c.stamps.of(kind, textOfNote(note))))
	}
	return note
}

func (c *cases) lined(note string, lines ...string) string {
	note, err := notes.AddLines(note, lines...)
	must(c.t, err)
	return note
}

// bringing is a file that brings along notes which strangers have signed.
func (c *cases) bringing(file []byte, attested ...string) []byte {
	list, err := json.Marshal(attested)
	must(c.t, err)
	if attested == nil {
		list = []byte("[]")
	}
	return c.member(file, string(list))
}

// member gives a file the member attested.
func (c *cases) member(file []byte, attested string) []byte {
	if bytes.HasSuffix(file, []byte("]}\n")) || bytes.Contains(file[:40], []byte("audit-proof")) {
		return append(bytes.TrimSuffix(file, []byte("}\n")), (`,"attested":` + attested + "}\n")...)
	}
	head, rest, _ := bytes.Cut(file, []byte("}\n"))
	return c.footed(slices.Concat(head, []byte(`,"attested":`+attested+"}\n"), rest))
}

// trustingRoots, trustingWitnesses and at say what is wanted of strangers.
func (k *conformance) trustingRoots(c *cases, kinds ...string) *conformance {
	for _, kind := range kinds {
		k.Roots = append(k.Roots, "root-"+kind+".pem")
		k.roots = append(k.roots, c.stamps.root(kind))
	}
	return k
}

func (k *conformance) trustingWitnesses(quorum int, keys ...string) *conformance {
	k.Quorum, k.Witnesses = quorum, keys
	return k
}

func (k *conformance) at(now time.Time) *conformance {
	k.Now = now.UTC().Format(time.RFC3339Nano)
	return k
}
