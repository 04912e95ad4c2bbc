package attest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
)

// Kind is what an attester gives.
type Kind string

// The kinds of attesters.
const (
	Stamps      Kind = "stamp"       // a time stamping authority
	Cosignature Kind = "cosignature" // a witness
)

// Asked is somebody who is asked to sign checkpoints.
type Asked struct {
	Kind Kind
	Name string // in its lines
	URL  string // may hold a user and a password: it is never shown
	Key  string // of a witness: its public key as text
}

// Address is the URL as people may see it.
func (a Asked) Address() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// String hides what signs in.
func (a Asked) String() string { return string(a.Kind) + " " + a.Name + " " + a.Address() }

// GoString hides what signs in from %#v.
func (a Asked) GoString() string { return a.String() }

// maxAsked is how many of each kind may be asked, so that their lines fit in a note.
const maxAsked = 8

// Read reads both settings: the text of AUDIT_TSA, and the file that AUDIT_WITNESSES names.
// Without keys that seal there is nothing to sign. What is wrong is told to mistake.
func Read(authorities, witnesses string, keys bool, mistake func(setting, what string)) (all []Asked) {
	for _, from := range []struct {
		setting, value string
		read           func(string) ([]Asked, error)
	}{{"AUDIT_TSA", authorities, ParseAuthorities}, {"AUDIT_WITNESSES", witnesses, LoadWitnesses}} {
		if from.value == "" {
			continue
		}
		asked, err := from.read(from.value)
		switch {
		case err != nil:
			mistake(from.setting, err.Error())
		case !keys:
			mistake(from.setting, "there is nothing to be signed without AUDIT_KEY_FILE")
		}
		all = append(all, asked...)
	}
	return all
}

// ParseAuthorities reads AUDIT_TSA: addresses of time stamping authorities separated by
// commas, each perhaps after a name and =. Without a name it is what follows https://. An
// error repeats no address: it may hold a password.
func ParseAuthorities(text string) (all []Asked, err error) {
	for i, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		a := Asked{Kind: Stamps, URL: item}
		if name, address, ok := strings.Cut(item, "="); ok && !strings.Contains(name, "://") {
			a.Name, a.URL = strings.TrimSpace(name), strings.TrimSpace(address)
		}
		u, err := judgeURL(a.URL)
		if err != nil {
			return nil, fmt.Errorf("the %d. authority: %w", i+1, err)
		}
		if a.Name == "" {
			a.Name = strings.TrimSuffix(u.Host+u.Path, "/")
		}
		if notes.JudgeName(a.Name) != nil {
			return nil, fmt.Errorf("the %d. authority: its name must be 1 to 200 letters without spaces, accents or +; write name=https://…", i+1)
		}
		if all, err = add(all, a); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// LoadWitnesses reads the file of AUDIT_WITNESSES: a line for each witness, its public key
// and its address. Empty lines and those that begin with # are skipped.
func LoadWitnesses(path string) (all []Asked, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(text) > maxWitnessFile {
		return nil, fmt.Errorf("longer than %d bytes: that is no list of witnesses", maxWitnessFile)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		a, err := parseWitness(line)
		if err == nil {
			all, err = add(all, a)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("names no witness: want lines of a public key, a blank and an address")
	}
	return all, nil
}

const maxWitnessFile = 64 << 10

func parseWitness(line string) (a Asked, err error) {
	parts := strings.Fields(line)
	if len(parts) != 2 {
		return a, errors.New("want the witness' public key, a blank and its address")
	}
	a = Asked{Kind: Cosignature, Key: parts[0], URL: parts[1]}
	if _, err := judgeURL(a.URL); err != nil {
		return a, err
	}
	v, err := cosign.NewVerifier(a.Key)
	if err != nil {
		return a, fmt.Errorf("its key is no public key of a witness (name+hash+key): %w", err)
	}
	a.Name = v.Name()
	return a, nil
}

func judgeURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "" {
		return nil, errors.New("its address is none: want something like https://tsa.example/tsr")
	}
	return u, nil
}

func add(all []Asked, a Asked) ([]Asked, error) {
	switch {
	case slices.ContainsFunc(all, func(b Asked) bool { return b.Name == a.Name }):
		return nil, fmt.Errorf("%s is named twice; give each a name of its own", a.Name)
	case len(all) == maxAsked:
		return nil, fmt.Errorf("more than %d", maxAsked)
	}
	return append(all, a), nil
}
