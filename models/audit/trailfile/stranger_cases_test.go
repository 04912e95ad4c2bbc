package trailfile

import (
	"bytes"
	"strings"
	"time"

	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/trailfile/stamp"
)

// sealedAt is when the last entry of the trail of the cases was signed, and soldAt when its
// first entry was made.
var (
	sealedAt = time.Date(2026, 11, 21, 1, 0, 5, 0, time.UTC)
	soldAt   = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
)

// strangers are files that people who are not the shop have signed.
func (c *cases) strangers() {
	c.stamps.t = c.t
	c.stampsOnTheirOwn()
	c.stampsThatAreNone()
	c.stampsInTime()
	c.witnesses()
	c.forks()
	c.attested()
	c.provedByStrangers()
}

// own is the export of the cases whose own checkpoint has more lines.
func (c *cases) own(edit func(note string) string) []byte { return c.noted(edit) }

// below is that export with lines of these authorities.
func (c *cases) below(kinds ...string) []byte {
	return c.own(func(n string) string { return c.stamped(n, kinds...) })
}

func (c *cases) stampsOnTheirOwn() {
	w := newTestTree(c.t, caseSize, caseEntry)
	plain := c.edited()
	kept := func(n string) []byte { return []byte(n + "\n") }
	add := func(name, verdict string, file []byte, with ...[]byte) *conformance {
		return c.add("stamp-"+name, verdict, file, with...)
	}
	add("below-the-checkpoint", "intact", c.below("right")).trustingRoots(c, "right")
	add("elliptic-with-one-between", "intact", c.below("curve")).trustingRoots(c, "curve")
	add("certificate-by-sha-1", "intact", c.below("old-hash")).trustingRoots(c, "right")
	add("below-one-that-is-brought", "intact", c.bringing(plain, c.stamped(w.note(3), "right"))).trustingRoots(c, "right")
	add("below-one-that-was-kept", "intact", plain, kept(c.stamped(w.note(3), "right"))).trustingRoots(c, "right")
	add("nobody-asks", "intact", c.below("right", "other"))
	add("none", "undecided", plain).trustingRoots(c, "right")
	add("of-another-authority", "undecided", c.below("other")).trustingRoots(c, "right")
	add("of-another-authority-and-one", "intact", c.below("other", "right")).trustingRoots(c, "right")
	add("of-two-roots-one", "intact", c.below("other")).trustingRoots(c, "right", "other")
	add("roots-that-are-none", "undecided", c.below("right")).trustingNoRoot()
	add("expired-when-it-stamped", "undecided", c.below("expired")).trustingRoots(c, "right")
	add("expired-when-it-stamped-and-one", "intact", c.below("expired", "right")).trustingRoots(c, "right")
	add("expired-since", "intact", c.below("soon")).trustingRoots(c, "right").at(time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC))
	add("not-for-stamps-alone", "undecided", c.below("purpose")).trustingRoots(c, "right")
	add("not-for-stamps-alone-and-one", "intact", c.below("purpose", "right")).trustingRoots(c, "right")
	add("purpose-that-is-not-critical", "undecided", c.below("quietly")).trustingRoots(c, "right")
	add("an-extension-nobody-knows", "undecided", c.below("extension")).trustingRoots(c, "right")
	add("another-certificate-of-its-key", "altered", c.below("renewed")).trustingRoots(c, "right")
	add("another-certificate-and-nobody-asks", "intact", c.below("renewed"))
	ahead := c.own(func(n string) string {
		return c.stamped(c.at(n, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)), "right")
	})
	add("before-the-checkpoint", "altered", ahead).trustingRoots(c, "right")
	add("before-the-checkpoint-and-nobody-asks", "intact", ahead)
	add("of-another-past", "altered", c.bringing(plain, c.stamped(c.forked().note(3), "right"))).trustingRoots(c, "right")
	add("and-a-change", "altered 2", c.footed(replace(c.t, c.below("right"), `12500`, `12501`))).trustingRoots(c, "right")
	add("and-witnesses", "intact", c.own(func(n string) string {
		return c.cosigned(c.stamped(n, "right"), sealedAt, firstCosigner)
	})).trustingRoots(c, "right").trustingWitnesses(0, firstWitness)
	add("and-no-witnesses", "undecided", c.below("right")).trustingRoots(c, "right").trustingWitnesses(0, firstWitness)
}

// trustingNoRoot gives a file of roots that has none.
func (k *conformance) trustingNoRoot() {
	k.Roots, k.roots = []string{"root-none.pem"}, [][]byte{[]byte("words\n")}
}

// forked is another past.
func (c *cases) forked() *testTree {
	return newTestTree(c.t, caseSize, func(n int64) Leaf {
		l := caseEntry(n)
		l.TxID++
		return l
	})
}

func (c *cases) stampsThatAreNone() {
	w := newTestTree(c.t, caseSize, caseEntry)
	text := textOfNote(w.note(5))
	token, curve := c.stamps.of("right", text), c.stamps.of("curve", text)
	line := func(token []byte, more ...string) []byte {
		return c.own(func(n string) string { return c.stamped(c.lined(n, stamp.Line("tsa.example/x", token)), more...) })
	}
	add := func(name, verdict string, file []byte) *conformance { return c.add("stamp-"+name, verdict, file) }
	both := func(name, verdict string, token []byte) {
		add(name, verdict, line(token)).trustingRoots(c, "right", "curve")
		add(name+"-and-one", strings.Replace(verdict, "undecided", "intact", 1), line(token, "right")).trustingRoots(c, "right", "curve")
	}
	moved := c.stamps.of("right", textOfNote(w.note(3)))
	both("moved-from-another-checkpoint", "altered", moved)
	add("moved-and-nobody-asks", "altered", line(moved))
	both("garbage", "undecided", []byte("not DER at all"))
	add("garbage-and-nobody-asks", "intact", line([]byte("not DER at all")))
	both("that-was-cut", "undecided", token[:len(token)-1])
	both("with-a-byte-behind", "undecided", append(bytes.Clone(token), 0))
	both("with-a-long-length", "undecided", append([]byte{0x30, 0x83, 0}, token[2:]...))
	parsed, err := stamp.Parse(token)
	must(c.t, err)
	day := []byte(parsed.Time.Format("20060102150405"))
	both("with-another-time", "altered", bytes.Replace(token, day, []byte("20261121020000"), 1))
	both("with-a-time-that-is-none", "undecided", bytes.Replace(token, day, []byte("20261321020000"), 1))
	changed := func(token []byte) []byte {
		token = bytes.Clone(token)
		token[len(token)-3] ^= 1
		return token
	}
	both("with-another-signature", "altered", changed(token))
	both("elliptic-with-another-signature", "altered", changed(curve))
	add("under-another-name", "undecided", c.own(func(n string) string {
		return c.lined(n, strings.Replace(stamp.Line("tsa.example/x", token), "/x ", "/y ", 1))
	})).trustingRoots(c, "right")
	add("the-checkpoint-changed", "altered", c.own(func(n string) string {
		return strings.Replace(c.stamped(n, "right"), "T01:00:05", "T01:00:06", 1)
	})).trustingRoots(c, "right")
}

// stampsInTime want each entry stamped soon after it was made, and that the newest stamp is
// not old.
func (c *cases) stampsInTime() {
	w := newTestTree(c.t, caseSize, caseEntry)
	parsed, err := stamp.Parse(c.stamps.of("right", textOfNote(w.note(5))))
	must(c.t, err)
	at := parsed.Time
	soon, late := int64(at.Sub(soldAt)/time.Second)+1, int64(at.Sub(soldAt)/time.Second)-3600
	third := c.bringing(c.edited(), c.stamped(w.note(3), "right"))
	within := func(name, verdict string, file []byte, seconds int64, now time.Time) {
		k := c.add("stamped-"+name, verdict, file).trustingRoots(c, "right").at(now)
		k.StampedWithin = seconds
	}
	within("within", "intact", c.below("right"), soon+60, at.Add(time.Hour))
	within("within-and-much-later", "intact", c.below("right"), soon+60, at.Add(1e5*time.Hour))
	within("too-late", "altered 0", c.footed(replace(c.t, c.below("right"), `server.started`, `server.stopped`)), late, at.Add(time.Hour))
	within("too-late-all", "undecided 0", c.below("right"), late, at.Add(time.Hour))
	within("not-yet-and-not-due", "intact", third, soon+3600, soldAt.Add(time.Duration(soon)*time.Second))
	within("not-yet-and-due", "undecided 3", third, soon+3600, at.Add(1000*time.Hour))
	none := c.add("stamped-none-and-due", "undecided 0", c.edited()).at(at)
	none.StampedWithin = 60
	none = c.add("stamped-none-and-not-due", "intact", c.edited()).at(soldAt.Add(time.Minute))
	none.StampedWithin = 60
	partly := c.bringing(c.part(), c.stamped(w.note(5), "right"))
	within("some-left-out", "undecided 0", partly, late, at.Add(time.Hour))

	age := func(name, verdict string, file []byte, seconds int64, now time.Time) *conformance {
		k := c.add("age-"+name, verdict, file).at(now)
		k.MaxAge = seconds
		return k
	}
	age("of-a-stamp", "intact", c.below("right"), 3600, at.Add(time.Hour)).trustingRoots(c, "right")
	age("of-a-stamp-too-old", "undecided", c.below("right"), 3600, at.Add(time.Hour+time.Second)).trustingRoots(c, "right")
	age("and-nobody-was-asked", "undecided", c.below("right"), 3600, at)
	cosigned := c.own(func(n string) string {
		n = c.cosigned(n, sealedAt, firstCosigner)
		return c.cosigned(n, sealedAt.Add(time.Hour), secondCosigner, thirdCosigner)
	})
	hour := sealedAt.Add(time.Hour)
	for _, e := range []struct {
		name, verdict string
		quorum        int
	}{
		{"of-two-witnesses", "intact", 2},
		{"of-three-witnesses-one-too-old", "undecided", 3},
	} {
		age(e.name, e.verdict, cosigned, 1800, hour).trustingWitnesses(e.quorum, firstWitness, secondWitness, thirdWitness)
	}
	age("of-a-witness-and-an-older-stamp", "undecided", c.own(func(n string) string {
		return c.cosigned(c.stamped(n, "right"), sealedAt, firstCosigner)
	}), 60, at.Add(61*time.Second)).trustingRoots(c, "right").trustingWitnesses(0, firstWitness)
	age("of-an-old-one-and-a-new-one", "intact", c.own(func(n string) string {
		n = c.cosigned(n, sealedAt, firstCosigner)
		return c.cosigned(n, hour, firstCosigner)
	}), 60, hour).trustingWitnesses(0, firstWitness)
}

func (c *cases) witnesses() {
	w := newTestTree(c.t, caseSize, caseEntry)
	by := func(signers ...*cosign.Signer) []byte {
		return c.own(func(n string) string { return c.cosigned(n, sealedAt, signers...) })
	}
	three := []string{firstWitness, secondWitness, thirdWitness}
	add := func(name, verdict string, file []byte, quorum int, keys ...string) *conformance {
		return c.add("witness-"+name, verdict, file).trustingWitnesses(quorum, keys...)
	}
	add("one", "intact", by(firstCosigner), 0, firstWitness)
	add("three", "intact", by(firstCosigner, secondCosigner, thirdCosigner), 0, three...)
	add("two-of-three", "intact", by(firstCosigner, thirdCosigner), 2, three...)
	add("one-of-three", "undecided", by(secondCosigner), 2, three...)
	add("two-and-all-are-wanted", "undecided", by(firstCosigner, secondCosigner), 0, three...)
	add("more-than-there-are", "undecided", by(firstCosigner), 2, firstWitness)
	add("none", "undecided", c.edited(), 0, firstWitness)
	add("twice-is-one", "undecided", c.own(func(n string) string {
		return c.cosigned(c.cosigned(n, sealedAt, firstCosigner), sealedAt.Add(time.Hour), firstCosigner)
	}), 2, three...)
	add("one-key-named-twice", "intact", by(firstCosigner), 0, firstWitness, firstWitness)
	add("two-keys-of-one", "undecided", by(firstCosigner, newCosigner), 2, firstWitness, newWitness, secondWitness)
	add("two-keys-of-one-and-another", "intact", by(newCosigner, secondCosigner), 0, firstWitness, newWitness, secondWitness)
	add("on-two-checkpoints", "undecided", c.bringing(by(firstCosigner), c.cosigned(w.note(3), sealedAt, secondCosigner)), 2, three...)
	add("another-key-of-its-name", "undecided", by(newCosigner), 0, firstWitness)
	add("another-key-of-its-name-and-enough", "intact", by(newCosigner, secondCosigner, thirdCosigner), 2, three...)
	add("nobody-asks", "intact", by(firstCosigner, newCosigner), 0)
	lines := func(edit func(line string) string) []byte {
		return c.own(func(n string) string {
			own := notes.Lines(c.cosigned(n, sealedAt, firstCosigner))
			return c.lined(n, edit(own[len(own)-1]))
		})
	}
	bytesOf := func(edit func(b []byte) []byte) []byte {
		return lines(func(line string) string {
			l, err := notes.ReadLine(line)
			must(c.t, err)
			return notes.Line(l.Name, l.Hash, edit(l.Bytes))
		})
	}
	flip := func(i int) func(b []byte) []byte {
		return func(b []byte) []byte { b[i] ^= 1; return b }
	}
	wrong := func(name string, file []byte) {
		add(name, "altered", file, 0, firstWitness)
		add(name+"-and-nobody-asks", "intact", file, 0)
	}
	wrong("another-signature", bytesOf(flip(40)))
	wrong("another-time", bytesOf(flip(7)))
	wrong("without-a-time", bytesOf(func(b []byte) []byte { return b[8:] }))
	wrong("a-time-beyond-9999", bytesOf(flip(0)))
	wrong("moved-from-another-checkpoint", lines(func(string) string {
		own := notes.Lines(c.cosigned(w.note(3), sealedAt, firstCosigner))
		return own[len(own)-1]
	}))
	wrong("more-than-ten-minutes-before-the-checkpoint", c.own(func(n string) string {
		return c.cosigned(n, sealedAt.Add(-10*time.Minute-time.Second), firstCosigner)
	}))
	add("ten-minutes-before-the-checkpoint", "intact", c.own(func(n string) string {
		return c.cosigned(n, sealedAt.Add(-10*time.Minute), firstCosigner)
	}), 0, firstWitness)
	add("a-key-of-another-kind", "undecided", by(firstCosigner), 0, samplePublic)
	add("a-key-with-a-wrong-letter", "undecided", by(firstCosigner), 0, strings.Replace(firstWitness, "contadora", "contadera", 1))
	add("a-key-that-is-none", "undecided", by(firstCosigner), 0, "contadora.example")
	add("a-key-of-the-trail-that-is-a-witness", "undecided", by(firstCosigner), 0).trusting(firstWitness)
	add("and-a-change", "altered 2", c.footed(replace(c.t, by(firstCosigner), `12500`, `12501`)), 0, firstWitness)
	add("of-the-trail-s-own-name", "undecided", by(firstCosigner), 0, witnessOfTheTrail)
}

// witnessOfTheTrail is a witness that calls itself as the trail does.
var witnessOfTheTrail, _ = sampleWitness("tienda.example/bitacora", 15)

// forks are two pasts that a witness signed.
func (c *cases) forks() {
	w, fork := newTestTree(c.t, caseSize, caseEntry), c.forked()
	kept := func(notes ...string) []byte { return []byte(strings.Join(notes, "\n") + "\n") }
	signed := func(n string, by ...*cosign.Signer) string { return c.cosigned(n, sealedAt, by...) }
	own := c.own(func(n string) string { return signed(n, firstCosigner) })
	add := func(name, verdict string, file []byte, with ...[]byte) *conformance {
		return c.add("fork-"+name, verdict, file, with...).trustingWitnesses(0, firstWitness)
	}
	add("by-its-witness", "altered", own, kept(signed(fork.note(5), firstCosigner)))
	add("by-its-witness-earlier", "altered", own, kept(signed(fork.note(3), firstCosigner)))
	add("kept-by-the-witness", "altered", c.edited(), kept(signed(fork.note(5), firstCosigner)))
	add("brought-along", "altered", c.bringing(own, signed(fork.note(4), firstCosigner)))
	add("of-a-smaller-one-that-was-right", "altered", c.bringing(c.edited(), signed(w.note(3), firstCosigner)),
		kept(signed(fork.note(5), firstCosigner)))
	add("not-of-this-witness", "altered", own, kept(signed(fork.note(5), secondCosigner)))
}

// attested are checkpoints that a file brings along.
func (c *cases) attested() {
	w, fork := newTestTree(c.t, caseSize, caseEntry), c.forked()
	plain := c.edited()
	signed := func(n string) string { return c.cosigned(n, sealedAt, firstCosigner) }
	add := func(name, verdict string, file []byte, with ...[]byte) *conformance {
		return c.add("attested-"+name, verdict, file, with...)
	}
	add("none", "intact", c.bringing(plain))
	add("one", "intact", c.bringing(plain, signed(w.note(3))))
	add("all", "intact", c.bringing(plain, signed(w.note(1)), signed(w.note(2)), signed(w.note(3)), signed(w.note(4)), signed(w.note(5))))
	add("null", "undecided", c.member(plain, "null"))
	add("a-text", "undecided", c.member(plain, `"x"`))
	add("a-number-in-it", "undecided", c.member(plain, `["x",1]`))
	add("that-is-no-checkpoint", "intact", c.bringing(plain, "words"))
	add("of-another-key", "intact", c.bringing(plain, c.signedBy(w.note(3), secondSigner)))
	add("of-another-trail", "intact", c.bringing(plain, c.renamed(w.note(3))))
	add("that-was-changed", "intact", c.bringing(plain, strings.Replace(w.note(3), "T01", "T02", 1)))
	add("of-another-past", "altered", c.bringing(plain, signed(fork.note(3))))
	add("of-a-later-one", "intact", c.bringing(c.cutTo(3), signed(w.note(5))))
	add("of-an-earlier-and-larger-one", "intact", c.bringing(c.cutTo(3), c.at(w.note(5), sealedAt.Add(-time.Hour))))
	add("of-another-beginning", "intact", c.bringing(plain,
		c.signedBy(strings.Replace(fork.note(3), "/bitacora\n", "/bitacora#2\n", 1), c.sampleSigner())))
	add("in-a-gap", "intact", c.bringing(c.wide(), signed(w.note(3))))
	add("in-a-gap-and-asked-for", "undecided", c.bringing(c.wide(), signed(w.note(3)))).trustingWitnesses(0, firstWitness)
	add("is-not-what-somebody-kept", "undecided", c.bringing(plain, signed(w.note(3))), []byte(c.renamed(w.note(3))+"\n"))
	foreign := c.cosigned(c.signedBy(w.note(3), secondSigner), sealedAt, firstCosigner)
	add("of-another-key-and-asked-for", "undecided", c.bringing(plain, foreign)).trustingWitnesses(0, firstWitness)
	add("asked-for", "intact", c.bringing(plain, signed(w.note(3)))).trustingWitnesses(0, firstWitness)
	add("and-a-change-behind", "altered 4", c.footed(c.bringing(c.footed(c.edited(`worker`, `Worker`)), signed(w.note(3))))).
		trustingWitnesses(0, firstWitness)
}

// cutTo is an export of the first entries.
func (c *cases) cutTo(size int64) []byte {
	file, _ := exportOf(c.t, size, caseEntry, nil)
	return file
}

// provedByStrangers are proofs of entry 2.
func (c *cases) provedByStrangers() {
	w := newTestTree(c.t, caseSize, caseEntry)
	signed := func(n string) string { return c.cosigned(n, sealedAt, firstCosigner) }
	file := func(p Proof, edit func(note string) string) []byte {
		p.Checkpoint = edit(p.Checkpoint)
		b, err := p.File()
		must(c.t, err)
		return b
	}
	plain := func(n string) string { return n }
	add := func(name, verdict string, file []byte) *conformance { return c.add("proof-"+name, verdict, file) }
	add("cosigned", "intact", file(w.proof(2, 5), signed)).trustingWitnesses(0, firstWitness)
	add("not-cosigned", "undecided", file(w.proof(2, 5), plain)).trustingWitnesses(0, firstWitness)
	add("stamped", "intact", file(w.proof(2, 5), func(n string) string { return c.stamped(n, "right") })).trustingRoots(c, "right")
	add("stamp-moved", "altered", file(w.proof(2, 5), func(n string) string {
		return c.lined(n, stamp.Line("tsa.example/right", c.stamps.of("right", textOfNote(w.note(3)))))
	}))
	three := c.bringing(file(w.proof(2, 5, 3), plain), signed(w.note(3)))
	add("attested", "intact", three).trustingWitnesses(0, firstWitness)
	add("attested-and-nobody-asks", "intact", three)
	add("attested-without-consistency", "undecided", c.bringing(file(w.proof(2, 5), plain), signed(w.note(3)))).
		trustingWitnesses(0, firstWitness)
	add("attested-before-its-entry", "undecided", c.bringing(file(w.proof(2, 5, 2), plain), signed(w.note(2)))).
		trustingWitnesses(0, firstWitness)
	add("attested-of-another-past", "altered", c.bringing(file(w.proof(2, 5, 3), plain), signed(c.forked().note(3)))).
		trustingWitnesses(0, firstWitness)
	add("attested-later", "intact", c.bringing(file(w.proof(2, 3, 5), plain), signed(w.note(5)))).trustingWitnesses(0, firstWitness)
	add("attested-null", "undecided", c.member(file(w.proof(2, 5), plain), "null"))
	add("attested-empty", "intact", c.bringing(file(w.proof(2, 5), plain)))
	parsed, err := stamp.Parse(c.stamps.of("right", textOfNote(w.note(5))))
	must(c.t, err)
	for _, e := range [][2]string{{"stamped-within", "intact"}, {"stamped-too-late", "undecided 2"}} {
		name, verdict := e[0], e[1]
		k := add(name, verdict, file(w.proof(2, 5), func(n string) string { return c.stamped(n, "right") })).
			trustingRoots(c, "right").at(parsed.Time.Add(time.Hour))
		if k.StampedWithin = int64(parsed.Time.Sub(soldAt)/time.Second) + 60; verdict != "intact" {
			k.StampedWithin = 3600
		}
	}
}
