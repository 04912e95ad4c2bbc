package trailfile

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

func (c *cases) everything() {
	c.entries()
	c.lines()
	c.gapsAndEnds()
	c.headers()
	c.notes()
	c.keysOf()
	c.kept()
	c.proofs()
	c.times()
	c.moves()
	c.strangers()
}

// entries are trails whose entry 2 was sealed like this.
func (c *cases) entries() {
	good := string(caseEntry(2).Canonical)
	nonce := testNonce(2)
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, e := range []struct{ name, verdict, from, to string }{
		{"as-it-is", "intact", "x", "x"},
		{"version-1", "intact", `"v":2,"nonce":"` + nonce + `"`, `"v":1`},
		{"blanks", "intact", `"role":"manager"`, ` "role" : "manager" `},
		{"blank-behind", "intact", `"reason":"x"}`, `"reason":"x"} `},
		{"escapes", "intact", `"actor":"Ana"`, `"actor":"\u0041n\/a\n\ud83d\ude00"`},
		{"escaped-action", "intact", `sale.recorded`, `sale\u002erecorded`},
		{"escaped-time", "intact", `"at":"2026`, `"at":"\u0032026`},
		{"nul", "intact", `"actor":"Ana"`, `"actor":"A\u0000"`},
		{"empty-role", "intact", `"manager"`, `""`},
		{"least-numbers", "intact", `"storeId":3`, `"storeId":-9223372036854775808`},
		{"no-amount", "intact", `"amountCentavos":12500,`, ``},
		{"negative-amount", "intact", `12500`, `-12500`},
		{"attributes-null", "intact", `{"orderId":"V-1"}`, `null`},
		{"free-numbers", "intact", `"V-1"`, `[1e5,-0.0,1E400,123456789012345678901234567890,-0]`},
		{"a-name-in-two-objects", "intact", `"V-1"`, `[{"a":1},{"a":1}]`},
		{"nested-100", "intact", `{"orderId":"V-1"}`, deep(99)},
		{"nested-101", "altered 2", `{"orderId":"V-1"}`, deep(100)},
		{"version-3", "altered 2", `"v":2`, `"v":3`},
		{"version-text", "altered 2", `"v":2`, `"v":"2"`},
		{"version-fraction", "altered 2", `"v":2`, `"v":2.0`},
		{"no-version", "altered 2", `"v":2,`, ``},
		{"version-not-first", "altered 2", `"v":2,"nonce":"` + nonce + `"`, `"nonce":"` + nonce + `","v":2`},
		{"no-nonce", "altered 2", `"nonce":"` + nonce + `",`, ``},
		{"version-1-with-nonce", "altered 2", `"v":2`, `"v":1`},
		{"short-nonce", "altered 2", nonce, nonce[1:]},
		{"long-nonce", "altered 2", nonce, nonce + "A"},
		{"nonce-with-spare-bits", "altered 2", nonce, nonce[:21] + "B"},
		{"nonce-of-other-letters", "altered 2", nonce, "+" + nonce[1:]},
		{"nonce-number", "altered 2", `"` + nonce + `"`, `7`},
		{"no-time", "altered 2", `"at":"2026-11-20T18:00:02.000000Z",`, ``},
		{"time-without-micros", "altered 2", `02.000000Z`, `02Z`},
		{"time-with-offset", "altered 2", `02.000000Z`, `02.000000+00:00`},
		{"time-small-z", "altered 2", `000000Z`, `000000z`},
		{"time-blank", "altered 2", `20T18`, `20 18`},
		{"time-24", "altered 2", `T18`, `T24`},
		{"time-leap", "altered 2", `00:02.`, `00:60.`},
		{"time-february-30", "altered 2", `2026-11-20`, `2026-02-30`},
		{"time-of-1999", "altered 2", `2026-11`, `1999-11`},
		{"time-number", "altered 2", `"2026-11-20T18:00:02.000000Z"`, `1795197602`},
		{"no-actor", "altered 2", `"actor":"Ana",`, ``},
		{"empty-actor", "altered 2", `"Ana"`, `""`},
		{"actor-number", "altered 2", `"Ana"`, `7`},
		{"no-role", "altered 2", `"role":"manager",`, ``},
		{"role-null", "altered 2", `"manager"`, `null`},
		{"no-action", "altered 2", `"action":"sale.recorded",`, ``},
		{"action-one-word", "altered 2", `sale.recorded`, `recorded`},
		{"action-three-words", "altered 2", `sale.recorded`, `sale.was.recorded`},
		{"action-capital", "altered 2", `sale.recorded`, `Sale.recorded`},
		{"action-digit", "altered 2", `sale.recorded`, `sale.recorded2`},
		{"no-outcome", "altered 2", `"outcome":"success",`, ``},
		{"outcome-unknown-word", "altered 2", `"success"`, `"ok"`},
		{"number-as-text", "altered 2", `"storeId":3`, `"storeId":"3"`},
		{"number-fraction", "altered 2", `"storeId":3`, `"storeId":3.0`},
		{"number-exponent", "altered 2", `"storeId":3`, `"storeId":3e0`},
		{"number-minus-zero", "altered 2", `"storeId":3`, `"storeId":-0`},
		{"number-leading-zero", "altered 2", `"storeId":3`, `"storeId":03`},
		{"number-too-large", "altered 2", `"storeId":3`, `"storeId":9223372036854775808`},
		{"attempt-too-large", "altered 2", `"amountCentavos"`, `"attempt":2147483648,"amountCentavos"`},
		{"amount-fraction", "altered 2", `12500`, `125.00`},
		{"amount-text", "altered 2", `12500`, `"12500"`},
		{"attributes-list", "altered 2", `{"orderId":"V-1"}`, `[1]`},
		{"attributes-text", "altered 2", `{"orderId":"V-1"}`, `"x"`},
		{"empty-reason", "altered 2", `"reason":"x"`, `"reason":""`},
		{"a-field-more", "altered 2", `"reason":"x"`, `"reason":"x","note":"y"`},
		{"fields-in-another-order", "altered 2", `"actor":"Ana","role":"manager"`, `"role":"manager","actor":"Ana"`},
		{"a-field-twice", "altered 2", `"role":"manager"`, `"role":"manager","role":"auditor"`},
		{"a-field-in-capitals", "altered 2", `"reason"`, `"Reason"`},
		{"a-field-with-an-escape", "altered 2", `"reason"`, `"re\u0061son"`},
		{"a-name-twice", "altered 2", `{"orderId":"V-1"}`, `{"a":1,"a":2}`},
		{"a-name-twice-by-an-escape", "altered 2", `{"orderId":"V-1"}`, `{"a":1,"\u0061":2}`},
		{"a-name-twice-deep-down", "altered 2", `"V-1"`, `[[{"b":{"a":1,"c":2,"a":2}}]]`},
		{"half-a-pair", "altered 2", `"V-1"`, `"\ud83d"`},
		{"the-other-half", "altered 2", `"V-1"`, `"\ude00"`},
		{"a-pair-turned-round", "altered 2", `"V-1"`, `"\ude00\ud83d"`},
		{"half-a-pair-in-a-name", "altered 2", `"orderId"`, `"\uD83D"`},
		{"not-utf-8", "altered 2", `"V-1"`, "\"V\xff1\""},
		{"a-surrogate-in-utf-8", "altered 2", `"V-1"`, "\"\xed\xa0\x80\""},
		{"a-longer-utf-8", "altered 2", `"V-1"`, "\"\xc0\xaf\""},
		{"a-newline-in-a-text", "altered 2", `"V-1"`, "\"V\n1\""},
		{"a-comma-more", "altered 2", `"reason":"x"}`, `"reason":"x",}`},
		{"a-comma-less", "altered 2", `"manager","action"`, `"manager""action"`},
		{"single-quotes", "altered 2", `"V-1"`, `'V-1'`},
		{"a-comment", "altered 2", `"reason"`, `/*x*/"reason"`},
		{"not-a-number", "altered 2", `"V-1"`, `NaN`},
		{"unknown-escape", "altered 2", `"V-1"`, `"\x41"`},
		{"something-behind", "altered 2", `"reason":"x"}`, `"reason":"x"}{}`},
		{"a-blank-before", "altered 2", `{"v":2`, ` {"v":2`},
		{"a-byte-order-mark", "altered 2", `{"v":2`, "\ufeff{\"v\":2"},
		{"an-empty-object", "altered 2", good, `{}`},
		{"a-list", "altered 2", good, `[]`},
		{"nothing", "altered 2", good, ``},
	} {
		c.add("entry-"+e.name, e.verdict, c.with(2, string(replace(c.t, []byte(good), e.from, e.to))))
	}
	c.add("entry-amounts-beyond-a-sum", "altered 3", func() []byte {
		file, _ := exportOf(c.t, caseSize, func(n int64) Leaf {
			l := caseEntry(n)
			switch n {
			case 2:
				l.Canonical = replace(c.t, l.Canonical, `12500`, `9223372036854775807`)
			case 3:
				l.Canonical = replace(c.t, l.Canonical, `"cancellationId":9`, `"cancellationId":9,"amountCentavos":1`)
			}
			return l
		}, nil)
		return file
	}())
	copied := replace(c.t, caseEntry(3).Canonical, testNonce(3), testNonce(1))
	c.add("entry-a-copy", "altered 3", c.with(3, string(copied)))
}

// lines are exports whose lines were edited.
func (c *cases) lines() {
	const id3 = `{"n":2,"id":3,"era":1,"txid":"702","entry":"`
	for _, e := range []struct{ name, verdict, from, to string }{
		{"amount", "altered 2", `12500`, `12501`},
		{"id", "altered 2", `"id":3,`, `"id":3,`},
		{"era", "altered 2", `"id":3,"era":1`, `"id":3,"era":2`},
		{"transaction", "altered 2", `"702"`, `"703"`},
		{"n-larger", "altered 2*", `"n":2,`, `"n":3,`},
		{"n-smaller", "altered 1", `"n":2,"id":3,`, `"n":1,"id":2,`},
		{"n-leading-zero", "altered 2*", `"n":2,`, `"n":02,`},
		{"n-negative", "altered 2*", `"n":2,`, `"n":-2,`},
		{"n-beyond-2-48", "altered 2*", `"n":2,`, `"n":281474976710656,`},
		{"id-0", "altered 2*", `"id":3,`, `"id":0,`},
		{"id-beyond-63-bits", "altered 2*", `"id":3,`, `"id":9223372036854775808,`},
		{"era-0", "altered 2*", `"id":3,"era":1`, `"id":3,"era":0`},
		{"era-beyond-31-bits", "altered 2*", `"id":3,"era":1`, `"id":3,"era":2147483648`},
		{"transaction-beyond-64-bits", "altered 2*", `"702"`, `"18446744073709551616"`},
		{"transaction-as-number", "altered 2*", `"702"`, `702`},
		{"blank", "altered 2*", `"n":2,`, `"n": 2,`},
		{"a-member-more", "altered 2*", id3, `{"n":2,"id":3,"era":1,"x":1,"txid":"702","entry":"`},
		{"members-in-another-order", "altered 2*", `"n":2,"id":3,"era":1`, `"n":2,"era":1,"id":3`},
		{"escape-of-a-letter", "altered 2*", `sale.recorded`, `s\u0061le.recorded`},
		{"escape-of-a-slash", "altered 2*", `V-1`, `V\/1`},
		{"escape-in-capitals", "altered 2*", `V-1`, `V\u001F`},
		{"escape-short", "altered 2*", `V-1`, `V\n1`},
		{"tab-without-escape", "altered 2*", `V-1`, "V\t1"},
		{"text-without-end", "altered 2*", `\"reason\":\"x\"}","hash"`, `\"reason\":\"x\"},"hash`},
		{"not-an-object", "altered 2*", id3, `[`},
		{"carriage-return", "altered 2*", "\n" + `{"n":3,`, "\r\n" + `{"n":3,`},
		{"empty-line", "altered 2*", "\n" + id3, "\n\n" + id3},
	} {
		file := c.footed(c.edited(e.from, e.to))
		k := c.add("line-"+e.name, e.verdict, file)
		if e.name == "id" {
			k.file = c.footed(c.edited(`"id":3,`, `"id":4,`))
			k.ID = 4
		}
	}
	hash := func(n int64) string { return caseEntry(n).Hash().String() }
	c.add("line-hash", "altered 2", c.footed(c.edited(hash(2), hash(1))))
	c.add("line-hash-without-padding", "altered 2*", c.footed(c.edited(hash(2), hash(2)[:43])))
	spare := base64.StdEncoding.EncodeToString([]byte{0, 0, 1}) // its last letter has more bits
	c.add("line-hash-with-spare-bits", "altered 2*", c.footed(c.edited(hash(2), hash(2)[:42]+spare[3:]+"=")))
	c.add("line-without-hash", "altered 2*", c.footed(c.edited(`,"hash":"`+hash(2)+`"`, ``)))
	differs := func(list string) []byte {
		return c.footed(c.edited(hash(2)+`"}`, hash(2)+`","differs":`+list+`}`))
	}
	c.add("line-a-column-differs", "altered 2", differs(`["amount"]`))
	c.add("line-two-columns-differ", "altered 2", differs(`["amount","actor_name"]`))
	c.add("line-no-columns-differ", "altered 2*", differs(`[]`))
	c.add("line-a-column-without-name", "altered 2*", differs(`["amount",""]`))
	c.add("line-a-column-in-capitals", "altered 2*", differs(`["Amount"]`))
	other := caseEntry(2)
	other.Canonical = replace(c.t, other.Canonical, `12500`, `12501`)
	relisted := c.edited(`12500`, `12501`, hash(2), other.Hash().String(), `"amountCentavos":"12500"`, `"amountCentavos":"12501"`)
	c.add("line-changed-with-its-hash", "altered", c.footed(relisted))
	c.add("line-changed-with-its-hash-and-not-the-footer", "altered", relisted)
	c.add("line-taken-out", "altered 2*", c.byLines(func(l []string) []string { return append(l[:3], l[4:]...) }))
	c.add("line-twice", "altered 2", c.byLines(func(l []string) []string { return slices.Insert(l, 4, l[3]) }))
	c.add("lines-in-each-others-place", "altered 2*", c.byLines(func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }))
	c.add("line-beyond-the-checkpoint", "altered 5*", c.byLines(func(l []string) []string {
		return slices.Insert(l, 6, strings.NewReplacer(`"n":4`, `"n":5`, `"id":5`, `"id":6`).Replace(l[5]))
	})).ID = 6
	c.add("all-lines-end-with-cr-lf", "undecided", bytes.ReplaceAll(c.edited(), []byte("\n"), []byte("\r\n")))
	c.add("order-of-commits", "altered 3", func() []byte {
		file, _ := exportOf(c.t, caseSize, func(n int64) Leaf {
			l := caseEntry(n)
			if n == 3 {
				l.TxID = 600
			}
			return l
		}, nil)
		return file
	}())
}

// gapsAndEnds are files with gaps, footers, and files that were cut.
func (c *cases) gapsAndEnds() {
	c.add("gap", "intact", c.part())
	whole, _ := exportOf(c.t, caseSize, caseEntry, nil)
	file := c.part()
	gap := string(file[bytes.Index(file, []byte(`{"gap"`)):bytes.Index(file, []byte(`{"n":3`))])
	hashes := gap[strings.Index(gap, `["`)+2 : strings.Index(gap, `"]`)]
	one, two, _ := strings.Cut(hashes, `","`)
	edit := func(to string) []byte { return c.footed(c.part(gap, to)) }
	line := func(from, to int, hashes ...string) string {
		return fmt.Sprintf(`{"gap":{"from":%d,"to":%d,"hashes":["%s"]}}`+"\n", from, to, strings.Join(hashes, `","`))
	}
	c.add("gap-in-two", "intact", edit(line(1, 2, one)+line(2, 3, two)))
	c.add("gap-with-another-hash", "altered", edit(line(1, 3, one, one)))
	c.add("gap-with-a-hash-less", "altered 1*", edit(line(1, 3, one)))
	c.add("gap-with-a-hash-more", "altered 1*", edit(line(1, 3, one, two, two)))
	c.add("gap-with-a-short-hash", "altered 1*", edit(line(1, 3, one, "AAAA")))
	c.add("gap-of-nothing", "altered 1*", edit(line(1, 1)))
	c.add("gap-backwards", "altered 1*", edit(line(3, 1, one, two)))
	c.add("gap-that-begins-later", "altered 1*", edit(line(2, 3, two)))
	c.add("gap-that-begins-earlier", "altered 0*", edit(line(0, 1, one)))
	c.add("gap-beyond-the-checkpoint", "altered 1*", edit(line(1, 6, one, one, one)))
	c.add("gap-with-blanks", "altered 1*", edit(strings.Replace(gap, `:[`, `: [`, 1)))
	c.add("gap-in-another-order", "altered 1*", edit(strings.Replace(gap, `"from":1,"to":3`, `"to":3,"from":1`, 1)))
	c.add("gap-and-complete", "altered 1*", c.footed(c.part(`"complete":false`, `"complete":true`)))
	c.add("gap-without-filters", "undecided", c.footed(c.part(`{"action":"cancellation.moved"}`, `{}`)))
	c.add("gap-with-filters-null", "undecided", c.footed(c.part(`{"action":"cancellation.moved"}`, `null`)))
	c.add("no-gap-and-not-complete", "undecided", c.footed(c.edited(`"complete":true`, `"complete":false`)))
	nothing, _ := exportOf(c.t, caseSize, caseEntry, func(int64) bool { return false })
	c.add("gap-of-everything", "intact", nothing)
	empty, _ := exportOf(c.t, 0, caseEntry, nil)
	c.add("trail-of-nothing", "intact", empty)

	c.add("footer-count", "altered", c.edited(`{"entries":5`, `{"entries":6`))
	c.add("footer-sum", "altered", c.edited(`"amountCentavos":"12500"`, `"amountCentavos":"12501"`))
	c.add("footer-sum-with-a-zero", "altered", c.edited(`"amountCentavos":"12500"`, `"amountCentavos":"012500"`))
	c.add("footer-sha256", "altered", c.edited(`"sha256":"`, `"sha256":"0`))
	c.add("footer-no-end", "altered", c.edited(`"end":true`, `"end":false`))
	c.add("footer-with-blanks", "altered", c.edited(`,"end"`, `, "end"`))
	c.add("footer-twice", "altered", c.byLines(func(l []string) []string { return append(l, "\n", l[len(l)-1]) }))
	c.add("footer-and-a-line", "altered", append(bytes.Clone(whole), '\n'))
	c.add("footer-and-no-newline-behind", "altered", append(bytes.Clone(whole), 'x'))
	last := bytes.LastIndex(whole[:len(whole)-1], []byte("\n")) + 1
	c.add("cut-before-the-footer", "undecided", whole[:last])
	c.add("cut-within-the-footer", "undecided", whole[:last+20])
	c.add("cut-before-the-last-newline", "undecided", whole[:len(whole)-1])
	c.add("cut-within-an-entry", "undecided", whole[:last/2])
	c.add("cut-behind-the-header", "undecided", whole[:bytes.IndexByte(whole, '\n')+1])
	c.add("cut-within-the-header", "undecided", whole[:100])
	c.add("cut-behind-a-change", "altered 2", bytes.Replace(whole[:last], []byte("12500"), []byte("12501"), 1))
	c.add("the-end-taken-out", "altered", c.footed(c.byLines(func(l []string) []string {
		return append(l[:5], strings.Replace(l[6], `{"entries":5`, `{"entries":4`, 1))
	})))
	c.add("empty", "undecided", nil)
	c.add("a-picture", "undecided", []byte("\x89PNG\r\n\x1a\n\x00\x00"))
}

// headers are exports with another first line, and a footer that fits.
func (c *cases) headers() {
	for _, e := range []struct{ name, verdict, from, to string }{
		{"format", "undecided", `export/1`, `export/9`},
		{"format-number", "undecided", `"veinte-audit-export/1"`, `1`},
		{"no-format", "undecided", `"format":"veinte-audit-export/1",`, ``},
		{"zone", "undecided", `"UTC"`, `"America/Mexico_City"`},
		{"no-zone", "undecided", `"zone":"UTC",`, ``},
		{"no-checkpoint", "undecided", `"checkpoint":"`, `"checkpaint":"`},
		{"checkpoint-in-capitals", "undecided", `"checkpoint":"`, `"Checkpoint":"`},
		{"complete-text", "undecided", `"complete":true`, `"complete":"true"`},
		{"no-complete", "undecided", `"complete":true,`, ``},
		{"filters-list", "undecided", `"filters":null`, `"filters":[]`},
		{"no-filters", "undecided", `"filters":null,`, ``},
		{"no-public-keys", "undecided", `"publicKeys":["` + samplePublic + `"],`, ``},
		{"public-keys-text", "undecided", `["` + samplePublic + `"]`, `"` + samplePublic + `"`},
		{"public-keys-null", "intact", `["` + samplePublic + `"]`, `null`},
		{"public-keys-of-another", "intact", samplePublic, "other.example/bitacora+00000000+x"},
		{"exported-at-of-another-year", "intact", `2026-11-21T02`, `1926-11-21T02`},
		{"exported-at-number", "undecided", `"2026-11-21T02:00:00Z"`, `7`},
		{"origin", "altered", `"origin":"tienda`, `"origin":"fienda`},
		{"no-origin", "undecided", `"origin":"tienda.example/bitacora",`, ``},
		{"a-member-more", "intact", `"zone"`, `"later":{"a":[1]},"zone"`},
		{"a-member-twice", "undecided", `"zone":"UTC"`, `"zone":"UTC","zone":"UTC"`},
		{"a-member-twice-by-an-escape", "undecided", `"zone":"UTC"`, `"zone":"UTC","zon\u0065":"UTC"`},
		{"a-name-with-an-escape", "intact", `"zone"`, `"zon\u0065"`},
		{"blanks", "intact", `"zone":`, ` "zone" : `},
		{"another-order", "intact", `"zone":"UTC","filters":null`, `"filters":null,"zone":"UTC"`},
		{"nested-100", "intact", `"filters":null`, `"filters":{"a":` + strings.Repeat("[", 98) + strings.Repeat("]", 98) + `}`},
		{"nested-101", "undecided", `"filters":null`, `"filters":{"a":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}`},
		{"half-a-pair", "undecided", `"zone"`, `"x":"\ud800","zone"`},
		{"not-utf-8", "undecided", `"zone"`, "\"x\":\"\xff\",\"zone\""},
		{"byte-order-mark", "undecided", `{"format"`, "\ufeff{\"format\""},
		{"something-behind", "undecided", "\n{\"n\":0", "x\n{\"n\":0"},
	} {
		c.add("header-"+e.name, e.verdict, c.footed(c.edited(e.from, e.to)))
	}
}

// notes are exports whose checkpoint is not as it was signed.
func (c *cases) notes() {
	line := func(n string) string { return n[strings.Index(n, "\n\n")+2:] }
	raw := func(n string) []byte {
		b, err := base64.StdEncoding.DecodeString(strings.Fields(line(n))[2])
		if err != nil {
			c.t.Fatal(err)
		}
		return b
	}
	signature := func(n string, edit func(b []byte) []byte) string {
		return strings.Replace(n, strings.Fields(line(n))[2], base64.StdEncoding.EncodeToString(edit(raw(n))), 1)
	}
	sub := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	text64 := func(n string) string { return strings.Fields(line(n))[2] }
	stranger := "— other.example/log AAAAAAAA\n"
	for _, e := range []struct {
		name, verdict string
		edit          func(n string) string
	}{
		{"size", "altered", sub("\n5\n", "\n6\n")},
		{"time", "altered", sub("T01", "T02")},
		{"root", "altered", func(n string) string {
			root := strings.Split(n, "\n")[2]
			return strings.Replace(n, root, strings.ToUpper(root[:1])+strings.ToLower(root[1:2])+"AA"+root[4:], 1)
		}},
		{"another-origin", "altered", sub("tienda.example/bitacora\n", "fienda.example/bitacora\n")},
		{"a-stranger-beside-it", "intact", func(n string) string { return n + stranger }},
		{"a-stranger-alone", "undecided", func(n string) string { return strings.Replace(n, line(n), stranger, 1) }},
		{"own-line-twice", "intact", func(n string) string { return n + line(n) }},
		{"own-line-right-and-wrong", "altered", func(n string) string {
			return n + line(signature(n, func(b []byte) []byte { b[10] ^= 1; return b }))
		}},
		{"own-line-wrong-and-right", "altered", func(n string) string {
			return signature(n, func(b []byte) []byte { b[10] ^= 1; return b }) + line(n)
		}},
		{"signature-63-bytes", "altered", func(n string) string { return signature(n, func(b []byte) []byte { return b[:67] }) }},
		{"signature-65-bytes", "altered", func(n string) string { return signature(n, func(b []byte) []byte { return append(b, 0) }) }},
		{"signature-s-plus-l", "altered", func(n string) string { return signature(n, plusL) }},
		{"signature-with-spare-bits", "undecided", func(n string) string {
			t := text64(n)
			at := strings.IndexByte(base64Letters, t[len(t)-2])
			return strings.Replace(n, t, t[:len(t)-2]+base64Letters[at+1:at+2]+"=", 1)
		}},
		{"signature-without-padding", "undecided", func(n string) string { return strings.TrimSuffix(n, "=\n") + "\n" }},
		{"no-signature", "undecided", func(n string) string { return strings.Replace(n, line(n), "", 1) }},
		{"no-empty-line", "undecided", sub("\n\n", "\n")},
		{"two-empty-lines", "undecided", sub("\n\n", "\n\n\n")},
		{"no-newline-at-its-end", "undecided", func(n string) string { return strings.TrimSuffix(n, "\n") }},
		{"a-line-behind-it", "undecided", func(n string) string { return n + "x\n" }},
		{"an-empty-line-behind-it", "undecided", func(n string) string { return n + "\n" }},
		{"a-hyphen-for-the-dash", "undecided", sub("— ", "- ")},
		{"a-line-more-in-its-text", "undecided", sub("\ntime", "\nmore\ntime")},
		{"no-time", "undecided", sub("\ntime 2026-11-21T01:00:05Z", "")},
		{"size-with-a-zero", "undecided", sub("\n5\n", "\n05\n")},
		{"size-negative", "undecided", sub("\n5\n", "\n-5\n")},
		{"size-beyond-2-48", "undecided", sub("\n5\n", "\n281474976710657\n")},
		{"time-with-a-zero", "undecided", sub(":05Z", ":05.10Z")},
		{"time-to-the-nanosecond", "undecided", sub(":05Z", ":05.1234567Z")},
		{"time-with-offset", "undecided", sub(":05Z", ":05+00:00")},
		{"time-with-a-comma", "undecided", sub(":05Z", ":05,5Z")},
		{"root-short", "undecided", func(n string) string { return strings.Replace(n, strings.Split(n, "\n")[2], "AAAA", 1) }},
		{"carriage-returns", "undecided", sub("\n", "\r\n")},
		{"origin-with-a-blank", "undecided", sub("bitacora\n5", "la bitacora\n5")},
		{"origin-empty", "undecided", sub("tienda.example/bitacora\n5", "\n5")},
		{"a-hundred-strangers", "intact", func(n string) string { return n + strings.Repeat(stranger, 99) }},
		{"one-signature-too-many", "undecided", func(n string) string { return n + strings.Repeat(stranger, 100) }},
	} {
		c.add("note-"+e.name, e.verdict, c.noted(e.edit))
	}
	c.add("note-of-another-key-and-a-change", "altered 2", c.footed(c.edited(`12500`, `12501`))).trusting(secondPublic)
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// plusL adds the order of the group to a signature's S: a sloppy verifier takes both.
func plusL(b []byte) []byte {
	s := slices.Clone(b[36:])
	slices.Reverse(s)
	n, order := new(big.Int).SetBytes(s), new(big.Int)
	order.SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	n.Add(n, order)
	n.FillBytes(s)
	slices.Reverse(s)
	return append(b[:36:36], s...)
}

// Further keys: of the same name, and of another trail. Their seeds are 32 times 2, and 3.
var (
	secondPublic, secondSigner   = sampleKey("tienda.example/bitacora", 2)
	foreignPublic, foreignSigner = sampleKey("other.example/bitacora", 3)
)

// keysOf are the same export with other keys that are trusted.
func (c *cases) keysOf() {
	file := c.edited()
	c.add("key-replaced", "undecided", file).trusting(secondPublic)
	c.add("key-of-another-trail", "undecided", file).trusting(foreignPublic)
	c.add("key-two-of-them", "intact", file).trusting(secondPublic, samplePublic)
	c.add("key-with-a-letter-wrong", "undecided", file).trusting(strings.Replace(samplePublic, "tienda", "fienda", 1))
	c.add("key-too-short", "undecided", file).trusting(samplePublic[:len(samplePublic)-4])
	point := func(name, hex string) {
		c.add("key-"+name, "undecided", file).trusting(keyText("tienda.example/bitacora", hex))
	}
	zero := strings.Repeat("00", 31)
	point("of-order-1", "01"+zero)
	point("of-order-2", "ec"+strings.Repeat("ff", 30)+"7f")
	point("of-order-4", "00"+zero)
	point("of-order-4-negative", zero+"0080")
	point("of-order-8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
	point("of-order-8-negative", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85")
	point("of-order-8-other", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
	point("that-is-not-written-in-its-one-form", "ee"+strings.Repeat("ff", 30)+"7f")
	point("that-is-no-point", "02"+zero)
	c.add("key-that-signs-what-nobody-signed", "undecided", c.noted(func(n string) string {
		k := keyText("tienda.example/bitacora", zero+"00")
		return n + "— tienda.example/bitacora " + base64.StdEncoding.EncodeToString(c.unsigned(n, k)) + "\n"
	})).trusting(keyText("tienda.example/bitacora", zero+"00"))
	both := c.noted(func(n string) string { return c.signedBy(n, c.sampleSigner(), secondSigner) })
	c.add("key-both-sign-old", "intact", both)
	c.add("key-both-sign-new", "intact", both).trusting(secondPublic)
}

// unsigned is a signature of a note that nobody made: under a key of small order one of a
// few fits.
func (c *cases) unsigned(signed, key string) []byte {
	text, _, _ := strings.Cut(signed, "\n\n")
	name, rest, _ := strings.Cut(key, "+")
	raw, err := base64.StdEncoding.DecodeString(rest[strings.Index(rest, "+")+1:])
	if err != nil || name == "" {
		c.t.Fatal(err)
	}
	zero := strings.Repeat("00", 31)
	for _, point := range []string{"01" + zero, "ec" + strings.Repeat("ff", 30) + "7f", zero + "00", zero + "80"} {
		line, err := hex.DecodeString(rest[:8] + point + zero + "00")
		if err != nil {
			c.t.Fatal(err)
		}
		if ed25519.Verify(raw[1:], []byte(text+"\n"), line[4:]) {
			return line
		}
	}
	c.t.Fatal("no signature fits")
	return nil
}

// kept are exports beside checkpoints that were kept.
func (c *cases) kept() {
	w := newTestTree(c.t, caseSize, caseEntry)
	fork := newTestTree(c.t, caseSize, func(n int64) Leaf {
		l := caseEntry(n)
		l.TxID++
		return l
	})
	other := func(n string, signer note.Signer) string { return c.signedBy(n, signer) }
	text := func(all ...string) []byte { return []byte(strings.Join(all, "\n") + "\n") }
	proof := func(from, to int64) []byte {
		b, err := w.consistency(from, to).MarshalJSON()
		if err != nil {
			c.t.Fatal(err)
		}
		return append(b, '\n')
	}
	young, _ := exportOf(c.t, 3, caseEntry, nil)
	whole := c.edited()
	later := w.note(5)
	earlier := c.at(w.note(5), time.Date(2026, 11, 21, 1, 0, 1, 0, time.UTC))
	month := text(w.note(1), w.note(2), w.note(3), w.note(4), w.note(5))
	c.add("kept-the-same", "intact", whole, text(w.note(5)))
	c.add("kept-an-earlier-one", "intact", whole, text(w.note(3)))
	c.add("kept-a-month-of-them", "intact", whole, month)
	c.add("kept-a-month-with-cr-lf", "intact", whole, bytes.ReplaceAll(month, []byte("\n"), []byte("\r\n")))
	c.add("kept-a-month-and-an-earlier-file", "intact", young, month)
	c.add("kept-another-past", "altered", whole, text(fork.note(3)))
	c.add("kept-two-pasts", "altered", whole, text(w.note(2), fork.note(4)))
	c.add("kept-a-later-one", "undecided", young, text(later))
	c.add("kept-a-later-one-and-a-proof", "intact", young, text(later), proof(3, 5))
	c.add("kept-a-later-one-of-another-past", "altered", young, text(fork.note(5)), proof(3, 5))
	c.add("kept-one-that-is-older-and-larger", "undecided", young, text(earlier))
	c.add("kept-one-that-is-older-and-larger-and-another", "undecided", young, text(earlier, w.note(3)))
	c.add("kept-one-that-ends-in-a-gap", "undecided", c.wide(), text(w.note(3)))
	c.add("kept-one-that-ends-in-a-gap-and-a-proof", "intact", c.wide(), text(w.note(3)), proof(3, 5))
	c.add("kept-one-that-ends-in-a-gap-and-another", "intact", c.wide(), text(w.note(3), w.note(5)))
	c.add("kept-of-another-trail", "undecided", whole, text(other(c.renamed(w.note(5)), foreignSigner)))
	c.add("kept-of-another-key", "undecided", whole, text(other(w.note(5), secondSigner)))
	c.add("kept-of-another-key-and-one", "intact", whole, text(other(w.note(5), secondSigner), w.note(5)))
	c.add("kept-of-another-trail-with-its-key", "undecided", whole, text(other(c.renamed(w.note(5)), foreignSigner))).
		trusting(samplePublic, foreignPublic)
	changed := strings.Replace(w.note(5), "T01", "T02", 1)
	c.add("kept-one-that-was-changed", "undecided", whole, text(changed))
	c.add("kept-one-that-was-changed-and-one", "intact", whole, text(changed, w.note(5)))
	c.add("kept-half-of-one-and-one", "intact", whole, text(w.note(4)[:120]+"\n", w.note(5)))
	c.add("kept-words-between-them", "intact", whole, text("words\n", w.note(4), "more\n\nwords\n", w.note(5)))
	c.add("kept-nothing-that-is-one", "undecided", whole, []byte("words\n"))
	c.add("kept-an-empty-file", "undecided", whole, nil)
	zero, err := Checkpoint{Origin: w.keys.Origin(), Root: (&Edge{}).Root(), Time: time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)}.
		Sign(w.keys.Signers()...)
	if err != nil {
		c.t.Fatal(err)
	}
	c.add("kept-one-of-no-entries", "undecided", whole, text(zero))
	c.add("kept-and-a-change", "altered 2", c.footed(c.edited(`12500`, `12501`)), text(w.note(5)))
	c.add("kept-and-no-proof-of-consistency", "undecided", young, text(later), []byte("{}\n"))
	c.begunAnew(fork)
}

// begunAnew are trails that go on under another origin, because entries were lost.
func (c *cases) begunAnew(lost *testTree) {
	w := newTestTree(c.t, caseSize, caseEntry)
	mark := func(n, mark string) string {
		return c.signedBy(strings.Replace(n, "/bitacora\n", "/bitacora"+mark+"\n", 1), c.sampleSigner())
	}
	file := func(m string) []byte {
		anew := c.noted(func(n string) string { return mark(n, m) })
		return c.footed(replace(c.t, anew, `"origin":"tienda.example/bitacora"`, `"origin":"tienda.example/bitacora`+m+`"`))
	}
	kept := func(notes ...string) []byte { return []byte(strings.Join(notes, "\n") + "\n") }
	second := file("#2")
	for _, e := range [][3]string{
		{"2", "#2", "intact"},
		{"9999", "#9999", "intact"},
		{"1", "#1", "undecided"},
		{"0", "#0", "undecided"},
		{"10000", "#10000", "undecided"},
		{"with-a-zero", "#02", "undecided"},
		{"that-is-none", "#", "undecided"},
		{"with-a-letter", "#2a", "undecided"},
		{"twice", "#2#2", "undecided"},
		{"after-a-slash", "/2", "undecided"},
	} {
		c.add("anew-number-"+e[0], e[2], file(e[1]))
	}
	c.add("anew-by-another-key", "undecided", second).trusting(secondPublic)
	c.add("anew-of-another-trail", "undecided", second).trusting(foreignPublic)
	c.add("anew-and-a-change", "altered 2", c.footed(replace(c.t, second, `12500`, `12501`)))
	c.add("anew-and-the-first-origin-in-its-header", "altered", c.noted(func(n string) string { return mark(n, "#2") }))
	c.add("anew-kept-the-same", "intact", second, kept(mark(w.note(5), "#2")))
	c.add("anew-kept-from-before", "intact", second, kept(w.note(3)))
	c.add("anew-kept-what-was-lost", "undecided", second, kept(lost.note(3)))
	c.add("anew-kept-what-was-lost-and-another", "undecided", second, kept(lost.note(4), mark(w.note(5), "#2")))
	c.add("anew-kept-another-past", "altered", second, kept(mark(lost.note(3), "#2")))
	c.add("anew-kept-from-later", "undecided", file("#2"), kept(mark(lost.note(4), "#3")))
	c.add("anew-kept-from-later-and-equal", "intact", file("#2"), kept(mark(w.note(4), "#3")))
	proof := w.proof(2, 5, 3)
	proof.Checkpoint = mark(proof.Checkpoint, "#2")
	proved, err := proof.File()
	if err != nil {
		c.t.Fatal(err)
	}
	c.add("anew-proof", "intact", proved)
	c.add("anew-proof-kept-from-before", "intact", proved, kept(w.note(3)))
	c.add("anew-proof-kept-what-was-lost", "undecided", proved, kept(lost.note(3)))
	c.add("anew-proof-kept-what-was-lost-of-its-size", "undecided", proved, kept(lost.note(5)))
}

// proofs are proofs of single entries.
func (c *cases) proofs() {
	w := newTestTree(c.t, caseSize, caseEntry)
	file := func(p Proof, pairs ...string) []byte {
		b, err := p.File()
		if err != nil {
			c.t.Fatal(err)
		}
		return replace(c.t, b, pairs...)
	}
	good := w.proof(2, 5)
	for _, e := range []struct{ name, verdict, from, to string }{
		{"as-it-is", "intact", `x`, `x`},
		{"amount", "altered 2", `12500`, `12501`},
		{"n", "altered 3", `"n":2`, `"n":3`},
		{"n-beyond-the-checkpoint", "altered 5", `"n":2`, `"n":5`},
		{"n-fraction", "undecided", `"n":2`, `"n":2.0`},
		{"n-negative", "undecided", `"n":2`, `"n":-2`},
		{"n-beyond-2-48", "undecided", `"n":2`, `"n":281474976710656`},
		{"era", "altered 2", `"era":1`, `"era":2`},
		{"era-0", "undecided", `"era":1`, `"era":0`},
		{"id-0", "undecided", `"id":3`, `"id":0`},
		{"transaction-as-number", "undecided", `"702"`, `702`},
		{"transaction-with-a-zero", "undecided", `"702"`, `"0702"`},
		{"another-hash", "altered 2", w.proof(2, 5).Proof[0].String(), w.proof(2, 5).Proof[1].String()},
		{"a-hash-less", "altered 2", `"proof":["` + good.Proof[0].String() + `",`, `"proof":[`},
		{"a-hash-more", "altered 2", `"proof":[`, `"proof":["` + good.Proof[0].String() + `",`},
		{"a-short-hash", "undecided", good.Proof[0].String(), "AAAA"},
		{"a-hash-null", "undecided", `"` + good.Proof[0].String() + `"`, "null"},
		{
			"a-hash-with-an-escape", "intact", `"proof":["` + good.Proof[0].String()[:1],
			fmt.Sprintf(`"proof":["\u%04x`, good.Proof[0].String()[0]),
		},
		{"proof-null", "undecided", `"proof":[`, `"proof":null,"x":[`},
		{"format", "undecided", `proof/1`, `proof/2`},
		{"a-member-more", "undecided", `"era":1`, `"era":1,"x":1`},
		{"a-member-less", "undecided", `"era":1,`, ``},
		{"a-member-twice", "undecided", `"era":1`, `"era":1,"era":1`},
		{"a-member-in-capitals", "undecided", `"era"`, `"Era"`},
		{"blanks", "intact", `"era":1`, "\n \"era\" : 1\n"},
		{"entry-with-escapes", "intact", `sale.recorded`, `s\u0061le.recorded`},
		{"half-a-pair", "undecided", `sale.recorded`, `\ud800.recorded`},
		{"something-behind", "undecided", "}\n", "}\n{}\n"},
		{"no-object", "undecided", `{"format"`, `[{"format"`},
		{"the-checkpoint-changed", "altered", `T01:00:05`, `T01:00:06`},
		{"a-checkpoint-of-another-origin", "altered", `"checkpoint":"tienda`, `"checkpoint":"fienda`},
		{"no-checkpoint", "undecided", `\n5\n`, `\n`},
		{"consistency-empty", "intact", "}\n", `,"consistency":[]}` + "\n"},
		{"consistency-null", "undecided", "}\n", `,"consistency":null}` + "\n"},
		{"consistency-that-is-none", "undecided", "}\n", `,"consistency":[{"from":1,"to":5}]}` + "\n"},
		{"consistency-backwards", "undecided", "}\n", `,"consistency":[{"from":5,"to":1,"proof":[]}]}` + "\n"},
	} {
		k := c.add("proof-"+e.name, e.verdict, file(good, e.from, e.to))
		if k.N > 2 {
			k.ID = 3
		}
		k.File = k.Name + ".json"
	}
	for n := range int64(caseSize) {
		c.add(fmt.Sprintf("proof-of-n-%d", n), "intact", file(w.proof(n, caseSize)))
	}
	c.add("proof-of-the-only-entry", "intact", file(w.proof(0, 1)))
	c.add("proof-of-another-key", "undecided", file(good)).trusting(secondPublic)
	c.add("proof-of-another-trail", "undecided", file(good)).trusting(foreignPublic)
	bad := newTestTree(c.t, caseSize, func(n int64) Leaf {
		l := caseEntry(n)
		if n == 2 {
			l.Canonical = replace(c.t, l.Canonical, `"success"`, `"ok"`)
		}
		return l
	})
	c.add("proof-of-an-entry-that-is-not-well-formed", "altered 2", file(bad.proof(2, 5)))
	late := newTestTree(c.t, caseSize, func(n int64) Leaf {
		l := caseEntry(n)
		if n == 2 {
			l.Canonical = replace(c.t, l.Canonical, `2026-11-20T18:00`, `2026-11-21T01:11`)
		}
		return l
	})
	c.add("proof-of-an-entry-that-is-younger", "altered 2", file(late.proof(2, 5)))
	fork := newTestTree(c.t, caseSize, func(n int64) Leaf {
		l := caseEntry(n)
		l.TxID++
		return l
	})
	text := func(n string) []byte { return []byte(n + "\n") }
	c.add("proof-kept-the-same", "intact", file(good), text(w.note(5)))
	c.add("proof-kept-another-past", "altered", file(good), text(fork.note(5)))
	c.add("proof-kept-and-nothing-compared", "undecided", file(good), text(w.note(3)))
	for from := int64(1); from < caseSize; from++ {
		c.add(fmt.Sprintf("proof-kept-%d-entries", from), "intact", file(w.proof(2, 5, from)), text(w.note(from)))
		c.add(fmt.Sprintf("proof-kept-%d-entries-of-another-past", from), "altered", file(fork.proof(2, 5, from)), text(w.note(from)))
	}
	c.add("proof-kept-a-later-one", "intact", file(w.proof(2, 3, 5)), text(w.note(5)))
	damaged := w.proof(2, 5, 3)
	damaged.Consistency[0].Proof = damaged.Consistency[0].Proof[1:]
	c.add("proof-kept-with-a-hash-less", "altered", file(damaged), text(w.note(3)))
	damaged = w.proof(2, 5, 3)
	damaged.Consistency[0].Proof = append(damaged.Consistency[0].Proof, damaged.Consistency[0].Proof[0])
	c.add("proof-kept-with-a-hash-more", "altered", file(damaged), text(w.note(3)))
}

// times are trails with other times and clocks.
func (c *cases) times() {
	at := func(times ...string) func(n int64) Leaf {
		return func(n int64) Leaf {
			l, clock := caseEntry(n), ""
			for i, t := range times {
				if t, before, jump := strings.Cut(t, " "); int64(i) == n {
					l.Canonical = replace(c.t, l.Canonical, fmt.Sprintf("2026-11-20T18:00:0%d.000000", n), "2026-11-"+t+".000000")
					if clock = before; jump {
						l.Canonical = fmt.Appendf(nil, `{"v":2,"nonce":"%s","at":"2026-11-%s.000000Z","actor":"clock","role":"system",`+
							`"action":"clock.jumped","outcome":"success","before":{"clock":"%s"}}`, testNonce(n), t, clock)
					}
				}
			}
			return l
		}
	}
	add := func(name, verdict string, keep func(n int64) bool, times ...string) {
		file, _ := exportOf(c.t, caseSize, at(times...), keep)
		c.add("time-"+name, verdict, file)
	}
	add("ten-minutes-back", "intact", nil, "20T18:00:00", "20T18:00:00", "20T17:50:00")
	add("more-than-ten-minutes-back", "altered 2", nil, "20T18:00:00", "20T18:00:00", "20T17:49:59")
	add("back-and-no-younger-one", "altered 1", nil, "20T18:00:00", "20T17:00:00", "20T17:55:00")
	add("ten-minutes-after-the-checkpoint", "intact", nil, "20T18:00:00", "20T18:00:00", "20T18:00:00", "20T18:00:00", "21T01:10:05")
	add("more-than-ten-minutes-after", "altered 4", nil, "20T18:00:00", "20T18:00:00", "20T18:00:00", "20T18:00:00", "21T01:10:06")
	add("behind-a-gap", "intact", func(n int64) bool { return n != 1 }, "20T19:00:00", "20T18:00:00", "20T18:00:00")
	add("clock-put-back", "intact", nil, "20T19:00:00", "20T18:00:00 2026-11-20T19:00:01.5Z", "20T18:00:01")
	add("clock-put-back-and-said-within-a-minute", "intact", nil, "20T19:00:00", "20T17:59:10", "20T18:00:00 2026-11-20T19:00:01Z")
	add("clock-put-back-and-said-late", "altered 1", nil, "20T19:00:00", "20T17:58:10", "20T18:00:00 2026-11-20T19:00:01Z")
	add("clock-put-back-by-less", "altered 1", nil, "20T19:30:00", "20T18:00:00 2026-11-20T19:00:01Z", "20T19:30:00")
	add("clock-put-forward-explains-nothing", "altered 1", nil, "20T19:00:00", "20T18:00:00 2026-11-20T17:00:00Z", "20T19:00:01")
	add("clock-without-a-time", "altered 1", nil, "20T19:00:00", "20T18:00:00 yesterday", "20T19:00:01")
	add("clock-put-back-below-the-checkpoint", "intact", nil, "21T03:00:00", "21T01:00:00 2026-11-21T03:00:01Z", "21T01:00:01", "21T01:00:02",
		"21T01:00:03")
	add("clock-put-back-twice", "intact", nil, "20T20:00:00", "20T19:00:00 2026-11-20T20:00:01Z", "20T18:00:00 2026-11-20T19:00:01Z",
		"20T18:00:01", "20T18:00:02")
}

// moves are lives of a cancellation.
func (c *cases) moves() {
	for _, e := range []struct {
		name, verdict string
		moves         []string
	}{
		{"a-whole-life", "intact", []string{opened, sent, accepted, "7 4 accepted unknown 4", "7 5 unknown confirmed 4"}},
		{"opened-twice", "altered 1", []string{opened, opened}},
		{"not-opened", "altered 0", []string{"7 2 requested sending 2"}},
		{"a-move-less", "altered 1", []string{opened, accepted}},
		{"a-move-twice", "altered 2", []string{opened, sent, sent}},
		{"another-state", "altered 2", []string{opened, sent, "7 3 accepted unknown 3"}},
		{"behind-the-end", "altered 2", []string{opened, "7 2 requested confirmed 2", "7 3 confirmed unknown 3"}},
		{"a-time-back", "altered 2", []string{opened, sent, "7 3 sending accepted 1"}},
		{"without-numbers", "intact", []string{"7 0 - requested 1", "7 0 sending accepted 3", "7 0 requested sending 2"}},
		{"a-number-as-fraction", "intact", []string{"7 0 - requested 1", "7 2.0 x y 2"}},
		{"a-gap-between", "intact", []string{opened, "left", "7 3 sending accepted 3"}},
		{"back-behind-a-gap", "altered 3", []string{opened, sent, "left", "7 2 requested sending 3"}},
	} {
		entry, keep := moveEntries(c.t, e.moves)
		file, _ := exportOf(c.t, int64(len(e.moves)), entry, keep)
		c.add("moves-"+e.name, e.verdict, file)
	}
}
