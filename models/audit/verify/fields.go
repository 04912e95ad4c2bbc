package verify

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"

	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/jsontext"
)

// columnKind is how a column of the trail is written in its bytes.
type columnKind int

const (
	textColumn  columnKind = iota // left out when empty
	wholeColumn                   // text that is always present
	intColumn                     // null when left out; of four or eight bytes
	jsonColumn                    // null when left out
	timeColumn
)

// canonicalColumns are the columns that repeat the content of an entry's bytes, in
// the same order. The others, id, era, txid and canonical itself, are covered by the
// leaf's hash.
var canonicalColumns = []struct {
	name, key string
	kind      columnKind
}{
	{"at", "at", timeColumn},
	{"actor_id", "actorId", intColumn},
	{"actor_name", "actor", wholeColumn},
	{"actor_role", "role", wholeColumn},
	{"on_behalf_of", "onBehalfOf", textColumn},
	{"action", "action", wholeColumn},
	{"outcome", "outcome", wholeColumn},
	{"store_id", "storeId", intColumn},
	{"store_name", "store", textColumn},
	{"serial_number", "serialNumber", textColumn},
	{"sale_id", "saleId", intColumn},
	{"order_id", "orderId", textColumn},
	{"cancellation_id", "cancellationId", intColumn},
	{"attempt_number", "attempt", intColumn},
	{"amount", "amountCentavos", intColumn},
	{"before", "before", jsonColumn},
	{"after", "after", jsonColumn},
	{"reason", "reason", textColumn},
	{"address", "address", textColumn},
	{"user_agent", "userAgent", textColumn},
	{"request_id", "requestId", textColumn},
}

func canonicalColumnNames() []string {
	names := make([]string, len(canonicalColumns))
	for i, c := range canonicalColumns {
		names[i] = c.name
	}
	return names
}

// fieldCheck compares the columns of an entry with its bytes. What it needs for
// one it uses for the next.
type fieldCheck struct {
	fields    []trailfile.Field
	text      []byte
	trees     jsontext.Trees
	nonce     []byte // of the entry read last; nil when it has none
	malformed bool   // its bytes are no well-formed entry
	dayBegan  int64  // of the entry read last, as PostgreSQL counts
	day       []byte // as its bytes begin
}

// differ names the columns that differ from the bytes; "" when none do.
func (c *fieldCheck) differ(e *entryRow) string {
	c.nonce, c.malformed = nil, false
	var err error
	if c.fields, err = trailfile.Split(e.canonical, c.fields[:0]); err != nil {
		c.malformed = true
		return err.Error()
	}
	rest := c.fields[1:] // behind the version
	if len(rest) > 0 && string(rest[0].Key) == "nonce" {
		c.nonce, rest = rest[0].Value, rest[1:]
	}
	var wrong []string
	for i := range canonicalColumns {
		var said []byte
		if len(rest) > 0 && string(rest[0].Key) == canonicalColumns[i].key {
			said, rest = rest[0].Value, rest[1:]
		}
		if !c.same(canonicalColumns[i].kind, said, e.columns[i]) {
			wrong = append(wrong, canonicalColumns[i].name)
		}
	}
	if len(rest) > 0 {
		c.malformed = true
		return "the field " + strconv.Quote(string(rest[0].Key)) + " is not known, or not in its place"
	}
	return strings.Join(wrong, ", ")
}

// nonceOf is the nonce in an entry's bytes; nil when there is none.
func (c *fieldCheck) nonceOf(canonical []byte) []byte {
	var err error
	c.fields, err = trailfile.Split(canonical, c.fields[:0])
	if err != nil || len(c.fields) < 2 || string(c.fields[1].Key) != "nonce" {
		return nil
	}
	return c.fields[1].Value
}

// same compares a value of the bytes, nil when it is absent, with a column as
// PostgreSQL sends it, nil for null.
func (c *fieldCheck) same(kind columnKind, said, column []byte) bool {
	switch kind {
	case textColumn:
		if said == nil {
			return len(column) == 0
		}
		return sameText(said, column)
	case wholeColumn:
		return said != nil && sameText(said, column)
	case timeColumn:
		return bytes.Equal(said, c.instant(int64(binary.BigEndian.Uint64(column))))
	}
	if said == nil || column == nil {
		return said == nil && column == nil
	}
	if kind == jsonColumn {
		return len(column) > 0 && jsontext.Same(&c.trees, said, column[1:]) // behind jsonb's version
	}
	var n int64
	switch len(column) {
	case 4:
		n = int64(int32(binary.BigEndian.Uint32(column)))
	case 8:
		n = int64(binary.BigEndian.Uint64(column))
	}
	c.text = strconv.AppendInt(c.text[:0], n, 10)
	return bytes.Equal(said, c.text)
}

// instant writes a column's time as an entry's bytes have it. Most entries are of the day of
// the one before.
func (c *fieldCheck) instant(at int64) []byte {
	const day = 24 * 60 * 60 * 1_000_000
	if c.day == nil || at < c.dayBegan || at >= c.dayBegan+day {
		c.dayBegan = at - ((at%day)+day)%day
		c.day = fromPostgres(c.dayBegan).AppendFormat(append(c.day[:0], '"'), "2006-01-02T")
	}
	micro := at - c.dayBegan
	c.text = append(c.text[:0], c.day...)
	for _, part := range [...]struct {
		of     int64
		digits int
		behind byte
	}{{3_600_000_000, 2, ':'}, {60_000_000, 2, ':'}, {1_000_000, 2, '.'}, {1, 6, 'Z'}} {
		n := micro / part.of
		micro -= n * part.of
		c.text = append(c.text, "000000"[:part.digits]...)
		for i := len(c.text) - 1; n > 0; i-- {
			c.text[i] = byte('0' + n%10)
			n /= 10
		}
		c.text = append(c.text, part.behind)
	}
	return append(c.text, '"')
}

// sameText compares a JSON string with a text.
func sameText(said, text []byte) bool {
	if len(said) < 2 || said[0] != '"' {
		return false
	}
	if bytes.IndexByte(said, '\\') < 0 {
		return bytes.Equal(said[1:len(said)-1], text)
	}
	var s string
	return json.Unmarshal(said, &s) == nil && s == string(text)
}
