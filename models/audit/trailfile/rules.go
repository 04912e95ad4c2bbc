package trailfile

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// tolerance is by how much an entry may be older than what was sealed before it, or
// younger than its checkpoint, in microseconds: clocks of several machines differ, and a
// transaction takes time.
const tolerance = 10 * 60 * 1_000_000

// actionClock is the action of the entry by which the server says that its clock was put
// right.
const actionClock = `"clock.jumped"`

// entryRules are what the rules of a trail need of an entry: its time, its nonce, its
// amount. What is needed for one is used for the next.
type entryRules struct {
	fields []Field
	at     int64 // microseconds since 1970
	nonce  [2]uint64
	named  bool // it has a nonce; entries of version 1 have none
	amount int64
	// clock is what the server's clock would have shown, in an entry that says that it was
	// put right; 0 in others.
	clock int64
	jump  bool
}

// read splits canonical bytes, and checks their fields.
func (e *entryRules) read(canonical []byte) (err error) {
	if e.fields, err = Split(canonical, e.fields[:0]); err != nil {
		return err
	}
	return e.check()
}

// AmountOf is the amount of an entry by the fields that Split gave; 0 of one that has none,
// or whose fields are not what they may be.
func AmountOf(fields []Field) int64 {
	for i := range fields {
		if string(fields[i].Key) == "amountCentavos" {
			e := entryRules{fields: fields}
			if e.check() != nil {
				return 0
			}
			return e.amount
		}
	}
	return 0
}

// check refuses fields that are not of their type or range.
func (e *entryRules) check() error {
	e.at, e.nonce, e.named, e.amount, e.clock = 0, [2]uint64{}, false, 0, 0
	have := 0
	e.jump = false
	for i := range e.fields {
		f := &e.fields[i]
		kind := kindOf(f.Key)
		if kind < always {
			have++
		}
		if !e.field(kind, f) {
			return fmt.Errorf("%w: %s", errEntry, f.Key)
		}
	}
	if e.jump {
		e.clock = clockBefore(e.fields)
	}
	switch version2 := string(e.fields[0].Value) == "2"; {
	case have < alwaysFields:
		return fmt.Errorf("%w: a field is missing that every entry has", errEntry)
	case version2 != e.named:
		return fmt.Errorf("%w: entries of version 2 have a nonce, and no others", errEntry)
	}
	return nil
}

// fieldKind is what a field of an entry may hold.
type fieldKind int

const (
	versionField fieldKind = iota
	timeField
	nameField   // not empty
	wordField   // any text
	actionField // as noun.verb
	outcomeField
	always // those before it are in every entry
	nonceField
	textField // not empty: an empty one is left out
	numberField
	attemptField
	amountField
	objectField // or null
)

// alwaysFields is how many fields are in every entry: v, at, actor, role, action, outcome.
const alwaysFields = 6

func kindOf(key []byte) fieldKind {
	switch string(key) {
	case "v":
		return versionField
	case "nonce":
		return nonceField
	case "at":
		return timeField
	case "actor":
		return nameField
	case "role":
		return wordField
	case "action":
		return actionField
	case "outcome":
		return outcomeField
	case "actorId", "storeId", "saleId", "cancellationId":
		return numberField
	case "attempt":
		return attemptField
	case "amountCentavos":
		return amountField
	case "before", "after":
		return objectField
	}
	return textField
}

// field reports whether a field holds what its kind may.
func (e *entryRules) field(kind fieldKind, f *Field) (ok bool) {
	switch kind {
	case versionField:
		return true // Split knows it
	case nonceField:
		e.nonce, ok = nonceOf(unescaped(f.Value))
		e.named = ok
		return ok
	case timeField:
		e.at, ok = instantOf(unescaped(f.Value))
		return ok
	case wordField:
		return f.Value[0] == '"'
	case nameField, textField:
		return f.Value[0] == '"' && len(f.Value) > 2
	case actionField:
		a := unescaped(f.Value)
		e.jump = string(a) == actionClock
		return action(a)
	case outcomeField:
		o := string(unescaped(f.Value))
		return o == `"success"` || o == `"failure"` || o == `"denied"` || o == `"unknown"`
	case objectField:
		return f.Value[0] == '{' || string(f.Value) == "null"
	}
	n, ok := wholeNumber(f.Value)
	switch {
	case kind == attemptField:
		return ok && n >= -1<<31 && n < 1<<31
	case kind == amountField:
		e.amount = n
	}
	return ok
}

// action reports whether a value is an action: two words of letters, each with a small
// one first, and a dot between them.
func action(value []byte) bool {
	if value[0] != '"' {
		return false
	}
	noun, verb, dot := bytes.Cut(value[1:len(value)-1], []byte{'.'})
	return dot && word(noun) && word(verb)
}

func word(b []byte) bool {
	for i, c := range b {
		if small := c >= 'a' && c <= 'z'; !small && (i == 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(b) > 0
}

var nonceText = base64.RawURLEncoding.Strict()

// nonceOf reads a nonce: 128 bits in base64url, in its one form.
func nonceOf(value []byte) (n [2]uint64, ok bool) {
	var raw [16]byte
	if len(value) != 24 || value[0] != '"' {
		return n, false
	}
	if length, err := nonceText.Decode(raw[:], value[1:23]); err != nil || length != len(raw) {
		return n, false
	}
	for i, b := range raw {
		n[i/8] = n[i/8]<<8 | uint64(b)
	}
	return n, true
}

// instantOf is a time as entries have it, in microseconds since 1970.
func instantOf(value []byte) (micro int64, ok bool) {
	const form = `"0000-00-00T00:00:00.000000Z"`
	if len(value) != len(form) {
		return 0, false
	}
	for i, c := range value {
		if digit := form[i] == '0'; digit && (c < '0' || c > '9') || !digit && c != form[i] {
			return 0, false
		}
	}
	number := func(from, to int) (n int) {
		for _, c := range value[from:to] {
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := number(1, 5), time.Month(number(6, 8)), number(9, 11)
	hour, minute, second := number(12, 14), number(15, 17), number(18, 20)
	at := time.Date(year, month, day, hour, minute, second, number(21, 27)*1000, time.UTC)
	if year < firstYear || at.Month() != month || at.Day() != day || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return at.UnixMicro(), true
}

// clockBefore is before.clock of an entry, a time with up to nine digits behind the point;
// 0 when it is none.
func clockBefore(fields []Field) (micro int64) {
	for _, f := range fields {
		if string(f.Key) != "before" || f.Value[0] != '{' {
			continue
		}
		o, err := readObject(f.Value)
		if err != nil {
			return 0
		}
		text, _ := o.text("clock")
		fraction, utc := "", false
		if len(text) > 19 {
			fraction, utc = strings.CutSuffix(text[19:], "Z")
		}
		digits, point := strings.CutPrefix(fraction, ".")
		if !utc || point != (digits != "") || len(digits) > 9 || strings.Trim(digits, "0123456789") != "" || !point && fraction != "" {
			return 0
		}
		micro, _ = instantOf([]byte(`"` + text[:19] + "." + (digits + "000000")[:6] + `Z"`))
		return micro
	}
	return 0
}
