#!/usr/bin/env python3
"""Verify an export of the audit trail, or the proof of an entry.

    verify.py FILE PUBLIC_KEY [FILE...]    further files: checkpoints that were kept, proofs of consistency
    verify.py --cases FOLDER               the conformance cases: prints the verdict of each

Written from FORMAT.md alone, with Python's standard library. Exit 0 intact, 1 altered, 2 cannot decide."""
import base64, hashlib, io, json, os, re, sys
from datetime import datetime, timedelta

INTACT, ALTERED, UNDECIDED = range(3)
NAMES = ("intact", "altered", "cannot decide")
TEN_MINUTES = timedelta(minutes=10)

# Ed25519, RFC 8032
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return ((f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P)

def times(n, p):
    q = (0, 1, 1, 0)
    while n:
        if n & 1:
            q = add(q, p)
        p, n = add(p, p), n >> 1
    return q

def point(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - x2) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)

BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

def signed_by(key, text, signature):
    if len(signature) != 64:
        return False
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % Q
    left, right = times(s, BASE), add(r, times(h, a))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)

# Texts, numbers, JSON: one form of each
class Refused(ValueError):
    pass

def need(condition, why):
    if not condition:
        raise Refused(why)

def from64(text, length=None):
    """base64 that is written as an encoder writes it."""
    need(isinstance(text, str) and re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text) and len(text) % 4 == 0, "no base64")
    raw = base64.b64decode(text)
    need(base64.b64encode(raw).decode() == text and length in (None, len(raw)), "no base64 of %s bytes" % length)
    return raw

def named(name):
    return re.fullmatch(r"[!-*,-~]{1,200}", name) is not None

class Number(str):
    """A number of JSON, as it is written."""

def whole(value, least, most):
    need(isinstance(value, Number) and re.fullmatch(r"0|-?[1-9][0-9]{0,18}", value), "no whole number")
    need(least <= int(value) <= most, "a number out of its range")
    return int(value)

def once(pairs):
    need(len(dict(pairs)) == len(pairs), "a name twice")
    return dict(pairs)

def refuse_constant(name):
    raise Refused(name)

def read_json(text):
    """An object in UTF-8, with no name twice, no half of a character, not nested too deep."""
    text = text.decode("utf-8") if isinstance(text, bytes) else text
    depth = 0
    for sign in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text, re.S):
        depth += (sign in "[{") - (sign in "]}")
        need(depth <= 100, "nested too deep")
    for quoted in re.findall(r'"(?:[^"\\]|\\.)*"', text, re.S) if "\\u" in text else ():
        json.loads(quoted).encode("utf-8")
    value = json.loads(text, object_pairs_hook=once, parse_int=Number, parse_float=Number, parse_constant=refuse_constant)
    need(isinstance(value, dict) and text.lstrip(" \t\r\n")[0] == "{", "no object")
    return value

def instant(text, form):
    need(isinstance(text, str), "no time")
    m = re.fullmatch(form, text)
    need(m, "no time")
    try:
        year, month, day, hour, minute, second = map(int, m.groups()[:6])
        need(year >= 2000, "a year before 2000")
        return datetime(year, month, day, hour, minute, second, int((m.group(7) or "").ljust(6, "0")[:6]))
    except ValueError:
        raise Refused("no time")

STAMP = r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})"
ENTRY_TIME, NOTE_TIME, CLOCK_TIME = STAMP + r"\.([0-9]{6})Z", STAMP + r"(?:\.([0-9]{0,5}[1-9]))?Z", STAMP + r"(?:\.([0-9]{1,9}))?Z"

# Section 4: keys and checkpoints
def public_key(text):
    text = text.strip()
    need(text.count("+") >= 2, "no public key")
    name, number, raw = text.split("+", 2)
    raw = from64(raw, 33)
    need(named(name) and raw[0] == 1 and hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4].hex() == number, "a letter is wrong")
    p = point(raw[1:])
    need(p is not None, "no point")
    eight = times(8, p)
    need(eight[0] % P, "a point of small order")  # eight times such a point is (0, 1)
    return name, bytes.fromhex(number), raw[1:]

def trail(origin):
    """Section 4: the trail's name in an origin, which may be of a later beginning."""
    m = re.fullmatch(r"(.+)#([1-9][0-9]{0,3})", origin)
    return m.group(1) if m and m.group(2) != "1" else origin

class Checkpoint:
    """A signed note. state: INTACT signed by a key that is trusted; UNDECIDED by another one; ALTERED wrongly."""
    def __init__(self, note, keys):
        need(len(note.encode()) <= 64 << 10 and "\n\n" in note, "no signed note")
        text, signatures = note.split("\n\n", 1)
        text += "\n"
        lines = text.split("\n")
        need(len(lines) == 5 and lines[4] == "" and named(lines[0]) and re.fullmatch(r"0|[1-9][0-9]{0,18}", lines[1]), "no checkpoint")
        self.origin, self.size, self.root = lines[0], int(lines[1]), from64(lines[2], 32)
        need(self.size <= 2**48 and lines[3].startswith("time "), "no checkpoint")
        self.time = instant(lines[3][5:], NOTE_TIME)
        need(signatures.endswith("\n"), "a signature without an end")
        signed, self.state, self.why = [], INTACT, ""
        for line in signatures[:-1].split("\n"):
            need(line.startswith("\u2014 ") and line.count(" ") == 2, "no signature")
            _, name, raw = line.split(" ")
            raw = from64(raw)
            need(named(name) and len(raw) >= 5, "no signature")
            signed.append((name, raw[:4], raw[4:]))
        need(len(signed) <= 100, "too many signatures")
        own = [(key, s) for name, number, s in signed for key in keys if key[:2] == (name, number)]
        if not all(signed_by(key[2], text.encode(), s) for key, s in own):
            self.state, self.why = ALTERED, "the checkpoint was changed after it was signed"
        elif not own:
            another = "a key was replaced" if trail(self.origin) in [k[0] for k in keys] else "it is of another trail"
            self.state, self.why = UNDECIDED, "the checkpoint is signed by another key: " + another
        elif own[-1][0][0] != trail(self.origin):
            self.state, self.why = UNDECIDED, "the checkpoint is of another trail"

def notes_of(text):
    """Section 4: the checkpoints of a file of checkpoints."""
    parts = text.replace("\r\n", "\n").split("\n\n")
    for before, part in zip(parts, parts[1:]):
        if part.startswith("\u2014 "):
            yield before.lstrip("\n") + "\n\n" + part.rstrip("\n") + "\n"

# Section 3: the tree
def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()

def leaf(id, era, txid, canonical):
    return hashlib.sha256(b"\0veinte-entry/1 %d %d %d\n" % (id, era, txid) + canonical).digest()

def push(stack, level, h):
    while stack and stack[-1][0] == level:
        level, h = level + 1, node(stack.pop()[1], h)
    stack.append((level, h))

def root(stack):
    h = stack[-1][1] if stack else hashlib.sha256().digest()
    for _, left in reversed(stack[:-1]):
        h = node(left, h)
    return h

def included(h, n, size, proof):
    """Section 7: the root that a proof of leaf n gives."""
    last = size - 1
    for p in proof:
        if last == 0:
            return None
        if n & 1 or n == last:
            h = node(p, h)
            while not n & 1 and n:
                n, last = n >> 1, last >> 1
        else:
            h = node(h, p)
        n, last = n >> 1, last >> 1
    return h if last == 0 else None

def consistent(first, first_root, second, second_root, proof):
    """Section 8: the tree of first leaves is the beginning of that of second."""
    if first == second:
        return not proof and first_root == second_root
    path = list(proof) if first & (first - 1) else [first_root] + list(proof)
    if not path:
        return False
    n, last = first - 1, second - 1
    while n & 1:
        n, last = n >> 1, last >> 1
    a = b = path[0]
    for p in path[1:]:
        if last == 0:
            return False
        if n & 1 or n == last:
            a, b = node(p, a), node(p, b)
            while not n & 1 and n:
                n, last = n >> 1, last >> 1
        else:
            b = node(b, p)
        n, last = n >> 1, last >> 1
    return last == 0 and a == first_root and b == second_root

def read_consistency(c):
    need(isinstance(c, dict) and set(c) == {"from", "to", "proof"} and isinstance(c["proof"], list), "no proof of consistency")
    first = whole(c["from"], 1, 2**48)
    return first, whole(c["to"], first, 2**48), [from64(h, 32) for h in c["proof"]]

# Section 2: canonical bytes
def filled(value):
    need(isinstance(value, str) and not isinstance(value, Number) and value != "", "no text")

def text(value):
    need(isinstance(value, str) and not isinstance(value, Number), "no text")

def pattern(p):
    def judge(value):
        text(value)
        need(re.fullmatch(p, value), "not " + p)
    return judge

def number(bits):
    return lambda value: whole(value, -2**(bits - 1), 2**(bits - 1) - 1)

def attributes(value):
    need(value is None or isinstance(value, dict), "no object")

def nonce(value):
    text(value)
    need(re.fullmatch(r"[A-Za-z0-9_-]{21}[AQgw]", value), "no nonce")

FIELDS = {
    "v": lambda value: whole(value, 1, 2), "nonce": nonce, "at": lambda value: instant(value, ENTRY_TIME), "actorId": number(64),
    "actor": filled, "role": text, "onBehalfOf": filled, "action": pattern("[a-z][A-Za-z]*\\.[a-z][A-Za-z]*"),
    "outcome": pattern("success|failure|denied|unknown"), "storeId": number(64), "store": filled, "serialNumber": filled,
    "saleId": number(64), "orderId": filled, "cancellationId": number(64), "attempt": number(32), "amountCentavos": number(64),
    "before": attributes, "after": attributes, "reason": filled, "address": filled, "userAgent": filled, "requestId": filled,
}

def canonical(raw):
    """The fields of an entry; refuses bytes that are not well-formed."""
    e = read_json(raw)
    need(raw[:1] == b"{" and list(e) == [f for f in FIELDS if f in e] and "v" in e, "a field that is not known, or not in its place")
    # Names are compared as they are written: one with an escape is none of them.
    depth, names = 0, []
    for m in re.finditer(rb'"((?:[^"\\]|\\.)*)"\s*(:?)|[\[\]{}]', raw, re.S):
        depth += (m.group() in b"[{") - (m.group() in b"]}") if m.group(1) is None else 0
        names += [m.group(1)] if depth == 1 and m.group(2) else []
    need(names == [f.encode() for f in e], "a name with an escape")
    for name, value in e.items():
        FIELDS[name](value)
    need(all(f in e for f in ("at", "actor", "role", "action", "outcome")), "a field is missing")
    need(("nonce" in e) == (e["v"] == "2"), "a nonce too many, or none")
    e["at"] = instant(e["at"], ENTRY_TIME)
    return e

# Section 10: the moves of a cancellation
def state_of(o):
    state, number = (o.get("state"), o.get("sequence")) if isinstance(o, dict) else (None, None)
    is_text = isinstance(state, str) and not isinstance(state, Number)
    numbered = isinstance(number, Number) and re.fullmatch("[1-9][0-9]{0,9}", number) and int(number) < 2**31
    return state if is_text else "", int(number) if numbered else 0

def move(last, said, gaps):
    """What is wrong with a move, compared with the last one of its cancellation."""
    c = int(said.get("cancellationId", 0))
    if said["action"] not in ("cancellation.requested", "cancellation.moved") or c <= 0:
        return ""
    before, (after, number), at, wrong = state_of(said.get("before"))[0], state_of(said.get("after")), said["at"], ""
    was_number, was, was_at, was_gaps = last.get(c, (0, "", at, 0))
    known, whole = c in last, was_gaps == gaps
    if known and was == "confirmed":
        return "confirmed is final" if was_number or number else ""
    if number == 0:
        if was_number and whole and before != was:
            wrong = "it begins in another state than the move before it left"
        number = was_number + 1 if was_number and whole else 0
    elif not known and whole and number > 1:
        wrong = "it is move %d, and none is before it" % number
    elif number == 1 and (known or before):
        wrong = "it opens the cancellation a second time"
    elif was_number and (number <= was_number or whole and number != was_number + 1):
        wrong = "it is move %d, behind move %d" % (number, was_number)
    elif was_number and number == was_number + 1 and before != was:
        wrong = "it begins in another state than the move before it left"
    elif was_number and at < was_at:
        wrong = "its time is before that of the move before it"
    last[c] = number, after, at, gaps
    return wrong

class Stop(Exception):
    """Nothing behind this can be read."""

class Verification:
    """The verdict on a file, with what was found: (state, line, n, id, why)."""
    def __init__(self, keys, kept, proofs):
        self.keys, self.kept, self.proofs, self.found = keys, kept, list(proofs), []
        self.compared, self.others, self.own, self.words = 0, [], None, ""

    def wrong(self, why, line=0, n=-1, id=0, state=ALTERED):
        self.found.append((state, line, n, id, why))

    def verdict(self):
        first = min(self.found, key=lambda f: (f[0], f[1] or sys.maxsize), default=(INTACT, 0, -1, 0, self.words))
        where = "entry n %d, id %d, line %d: " % (first[2], first[3], first[1]) if first[2] >= 0 else ""
        return first[0], first[2], first[3], where + first[4]

    def header(self, note):
        try:
            self.own = Checkpoint(note, self.keys)
        except ValueError as why:
            self.wrong("no checkpoint: %s" % why, 1, state=UNDECIDED)
            raise Stop
        if self.own.state != INTACT:
            self.wrong(self.own.why, 1, state=self.own.state)

    def open_kept(self, comparable):
        """Section 9: which of the checkpoints that were kept can be compared."""
        opened = []
        for note in self.kept:
            try:
                c = Checkpoint(note, self.keys)
                need(c.state == INTACT, c.why)
                need(trail(c.origin) == trail(self.own.origin), "a checkpoint of another trail")
                need(c.size > 0, "a checkpoint of no entries")
                need(comparable(c), "no proof of consistency was given")
                opened.append(c)
            except ValueError as why:
                self.others.append(str(why))
        self.kept = sorted(opened, key=lambda c: c.size)

    def compare(self, c, same):
        self.compared += 1
        if not same and c.origin != self.own.origin:
            self.wrong("a checkpoint of %d entries is of some that were lost: the trail began anew" % c.size, state=UNDECIDED)
        elif not same:
            self.wrong("a checkpoint of %d entries tells of another past" % c.size)

    def by_proof(self, c):
        small, large = sorted((c, self.own), key=lambda c: c.size)
        if small.size == large.size:
            self.compare(c, small.root == large.root)
            return True
        for first, second, proof in self.proofs:
            if (first, second) == (small.size, large.size):
                self.compare(c, consistent(first, small.root, second, large.root, proof))
                return True
        return False

    def end_kept(self):
        for c in self.kept:
            if self.by_proof(c):
                continue
            if c.time > self.own.time:
                self.others.append("a checkpoint of %d entries is larger than the file's" % c.size)
            else:
                self.wrong("a checkpoint that is older than the file's has more entries", state=UNDECIDED)
        if not self.compared:
            for why in self.others:
                self.wrong(why, state=UNDECIDED)

ENTRY = re.compile(rb'\{"n":(0|[1-9][0-9]*),"id":([1-9][0-9]*),"era":([1-9][0-9]*),"txid":"(0|[1-9][0-9]*)",'
                   rb'"entry":"((?:[^"\\\x00-\x1f]|\\["\\]|\\u00[01][0-9a-f])*)","hash":"([A-Za-z0-9+/]{43}=)"'
                   rb'(?:,"differs":\["([a-z_]+(?:","[a-z_]+)*)"\])?\}\n')
GAP = re.compile(rb'\{"gap":\{"from":(0|[1-9][0-9]*),"to":([1-9][0-9]*),"hashes":\["([A-Za-z0-9+/=]{44}(?:","[A-Za-z0-9+/=]{44})*)"\]\}\}\n')
FOOTER = re.compile(rb'\{"entries":(0|[1-9][0-9]*),"amountCentavos":"([^"]*)","sha256":"([^"]*)","end":true\}\n')
ESCAPE = re.compile(rb'\\(?:(["\\])|u(....))')

class Export(Verification):
    """Section 6."""
    def run(self, file):
        self.sha, self.stack, self.n, self.entries, self.amount, self.number = hashlib.sha256(), [], 0, 0, 0, 1
        self.last, self.moves, self.gaps, self.youngest, self.back, self.future, self.nonces = (0, 0, 0), {}, 0, None, [], [], {}
        header = file.readline()
        try:
            need(len(header) <= 1 << 20 and not header.endswith(b"\r\n"), "no export of a trail")
            h = read_json(header)
            need(h.get("format") == "veinte-audit-export/1" and h.get("zone") == "UTC", "no export of a trail")
            for name in ("origin", "exportedAt", "checkpoint"):
                text(h.get(name))
            need(isinstance(h.get("complete"), bool) and isinstance(h.get("filters", 0), (dict, type(None))), "no header")
            need("filters" in h and isinstance(h.get("publicKeys", 0), (list, type(None))) and "publicKeys" in h, "no header")
            for key in h["publicKeys"] or ():
                text(key)
            need(header.endswith(b"\n"), "truncated")
        except (ValueError, KeyError, TypeError, IndexError) as why:
            self.wrong("no export: %s" % why, 1, state=UNDECIDED)
            raise Stop
        self.sha.update(header)
        self.header(h["checkpoint"])
        if h["origin"] != self.own.origin:
            self.wrong("the header has another origin than its checkpoint", 1)
        self.open_kept(lambda c: True)
        self.complete = h["complete"]
        self.lines(file)
        self.end(h)

    def lines(self, file):
        self.ended = False
        for self.number, line in enumerate(iter(lambda: file.readline((16 << 20) + 1), b""), 2):
            if self.ended:
                self.wrong("something behind the footer", self.number)
                raise Stop
            if not line.endswith(b"\n") and len(line) <= 16 << 20:
                self.wrong("truncated: the last line has no end", self.number, state=UNDECIDED)
                raise Stop
            try:
                need(len(line) <= 16 << 20, "a line that is too long")
                self.line(line)
            except ValueError as why:
                self.wrong(str(why), self.number, self.n if self.n < self.own.size else -1)
                raise Stop

    def line(self, line):
        entry, gap, footer = ENTRY.fullmatch(line), GAP.fullmatch(line), FOOTER.fullmatch(line)
        if footer:
            self.footer(footer)
            return
        self.sha.update(line)
        need(entry or gap, "the line is none of an export")
        pushes = []
        if entry:
            first, id, era, txid = [int(x) for x in entry.groups()[:4]]
            need(first < 2**48 and id < 2**63 and era < 2**31 and txid < 2**64, "a number that is too large")
            to, pushes = first + 1, [(0, from64(entry.group(6).decode(), 32))]
        else:
            first, to = int(gap.group(1)), int(gap.group(2))
            need(first < to <= 2**48, "a gap that is none")
            at, hashes = first, gap.group(3).decode().split('","')
            while at < to and len(pushes) < len(hashes):
                level = min((to - at).bit_length() - 1, (at & -at).bit_length() - 1 if at else 60)
                pushes.append((level, from64(hashes[len(pushes)], 32)))
                at += 2**level
            need(at == to and len(pushes) == len(hashes), "a gap with too few hashes, or too many")
        if first != self.n or to > self.own.size:
            n = self.n if first > self.n else first
            self.wrong("n %d is due here, of %d" % (self.n, self.own.size), self.number, n, 0 if gap or first > self.n else id)
            raise Stop
        if entry:
            self.entry(first, id, era, txid, entry.group(5), pushes[0][1], entry.group(7))
        else:
            if self.complete:
                self.wrong("it calls itself complete, and leaves entries out here", self.number, first)
            self.gap()
        for level, h in pushes:
            push(self.stack, level, h)
            self.n += 2**level
            self.reach()

    def gap(self):
        self.gaps, self.youngest, self.back, self.future = self.gaps + 1, None, [], []

    def entry(self, n, id, era, txid, escaped, listed, differs):
        self.entries += 1
        raw = ESCAPE.sub(lambda m: m.group(1) or bytes([int(m.group(2), 16)]), escaped)
        wrong = lambda why: self.wrong(why, self.number, n, id)
        try:
            said, why = canonical(raw), ""
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as problem:
            said, why = None, str(problem)
        if said:
            amount = self.amount + int(said.get("amountCentavos", 0))
            if -2**63 <= amount < 2**63:
                self.amount = amount
            else:
                wrong("the sum of the amounts is too large")
        if leaf(id, era, txid, raw) != listed or not said:
            wrong("the entry was changed" if leaf(id, era, txid, raw) != listed else "the entry is not well-formed: " + why)
            self.gap()
            return
        if differs:
            wrong("the database's columns did not say what the entry says")
        if (era, txid, id) > self.last:
            self.last = era, txid, id
        else:
            wrong("it is not behind the one before it")
        if "nonce" in said:
            self.nonces.setdefault(said["nonce"], []).append((self.number, n, id))
        self.time(said, n, id)
        why = move(self.moves, said, self.gaps)
        if why:
            wrong(why)

    def time(self, said, n, id):
        at, clock = said["at"], None
        if said["action"] == "clock.jumped" and isinstance(said.get("before"), dict):
            try:
                clock = instant(said["before"].get("clock"), CLOCK_TIME)
            except ValueError:
                pass
        if clock and clock > at and (not self.youngest or self.youngest <= clock + TEN_MINUTES):
            self.back = [b for b in self.back if not at - timedelta(minutes=1) <= b[3] <= at]
            self.future = [f for f in self.future if f[3] > clock + TEN_MINUTES]
            self.youngest = None
        if at > self.own.time + TEN_MINUTES:
            self.future.append((self.number, n, id, at))
        if self.youngest and at < self.youngest - TEN_MINUTES:
            self.back.append((self.number, n, id, at))
        else:
            self.youngest = max(at, self.youngest or at)

    def reach(self):
        while self.kept and self.kept[0].size <= self.n:
            c = self.kept.pop(0)
            if c.size == self.n:
                self.compare(c, c.root == root(self.stack))
            elif not self.by_proof(c):
                self.others.append("a checkpoint of %d entries ends within a gap" % c.size)

    def footer(self, f):
        self.ended = True
        count, amount, sha = int(f.group(1)), f.group(2), f.group(3)
        need(count < 2**63, "a number that is too large")
        if (count, amount, sha) != (self.entries, b"%d" % self.amount, self.sha.hexdigest().encode()):
            self.wrong("the footer does not fit the file", self.number)

    def end(self, h):
        for line, n, id, _ in self.back if self.ended else ():
            self.wrong("its time is older than that of entries before it", line, n, id)
        for line, n, id, _ in self.future if self.ended else ():
            self.wrong("its time is younger than the checkpoint", line, n, id)
        for same in self.nonces.values():
            for line, n, id in same[1:]:
                self.wrong("it is a copy of n %d" % same[0][1], line, n, id)
        if self.n == self.own.size:
            self.end_kept()
        left = self.n - self.entries
        if not self.ended:
            self.wrong("truncated: no footer", self.number + 1, state=UNDECIDED)
        elif self.n != self.own.size:
            self.wrong("the file ends before its checkpoint")
        elif root(self.stack) != self.own.root:
            self.wrong("the entries do not give the signed root")
        elif not h["filters"] and (left or not h["complete"]):
            self.wrong("nothing says why entries are left out", state=UNDECIDED)
        self.words = "%d entries of %d, %sZ; %d checkpoints compared" % (self.entries, self.n, self.own.time.isoformat(), self.compared)
        if left:
            self.words += "; left out: %d entries; the file proves those shown and nothing of the others" % left

class Proof(Verification):
    """Section 7."""
    MEMBERS = {"format", "n", "id", "era", "txid", "entry", "proof", "checkpoint"}

    def run(self, file):
        try:
            raw = file.read((32 << 20) + 1)
            p = read_json(raw)
            need(len(raw) <= 32 << 20 and set(p) - {"consistency"} == self.MEMBERS and p["format"] == "veinte-audit-proof/1", "no proof")
            n, id, era = whole(p["n"], 0, 2**48 - 1), whole(p["id"], 1, 2**63 - 1), whole(p["era"], 1, 2**31 - 1)
            pattern("0|[1-9][0-9]{0,19}")(p["txid"])
            txid = int(p["txid"])
            for name in ("entry", "checkpoint"):
                text(p[name])
            need(txid < 2**64 and isinstance(p["proof"], list) and isinstance(p.get("consistency", []), list), "no proof")
            proof = [from64(h, 32) for h in p["proof"]]
            self.proofs = [read_consistency(c) for c in p.get("consistency", [])] + self.proofs
        except (ValueError, KeyError, TypeError, IndexError) as why:
            self.wrong("no proof: %s" % why, state=UNDECIDED)
            raise Stop
        self.header(p["checkpoint"])
        raw = p["entry"].encode()
        if n >= self.own.size or included(leaf(id, era, txid, raw), n, self.own.size, proof) != self.own.root:
            self.wrong("the entry is not in the trail of the checkpoint", 0, n, id)
        else:
            try:
                if canonical(raw)["at"] > self.own.time + TEN_MINUTES:
                    self.wrong("its time is younger than the checkpoint", 0, n, id)
            except (ValueError, KeyError, TypeError, IndexError, RecursionError) as why:
                self.wrong("the entry is not well-formed: %s" % why, 0, n, id)
        own = self.own.size
        self.open_kept(lambda c: c.size == own or any((a, b) == (min(c.size, own), max(c.size, own)) for a, b, _ in self.proofs))
        self.end_kept()
        self.words = "entry %d is n %d of %d entries, %sZ; %d checkpoints compared" % (
            id, n, self.own.size, self.own.time.isoformat(), self.compared)

def verify(file, keys, others):
    """The verdict on a file: state, n, id, words. others: what further files hold."""
    try:
        keys, kept, proofs = [public_key(k) for k in keys], [], []
        for other in others:
            if other.lstrip()[:1] == "{":
                proofs.append(read_consistency(read_json(other)))
                continue
            found = list(notes_of(other))
            need(found, "a file that holds no checkpoint")
            kept += found
        need(keys, "no key")
        begins = file.read(1 << 10)
        file.seek(0)
        kind = Proof if b'"veinte-audit-proof/1"' in begins else Export
        v = kind(keys, kept, proofs)
    except (ValueError, KeyError, TypeError, IndexError) as why:
        return UNDECIDED, -1, 0, str(why)
    try:
        v.run(file)
    except Stop:
        pass
    return v.verdict()

def read(name):
    with open(name, encoding="utf-8", newline="") as f:
        return f.read()

def main(args):
    if args[:1] == ["--cases"]:
        with open(os.path.join(args[1], "cases.json"), encoding="utf-8") as f:
            cases = json.load(f)
        for c in cases:
            with open(os.path.join(args[1], c["file"]), "rb") as f:
                state, n, id, words = verify(f, c["keys"], [read(os.path.join(args[1], name)) for name in c.get("with", [])])
            print("%s\t%s\t%d\t%d\t%s" % (c["name"], NAMES[state], n, id, words.replace("\n", " ")))
        return INTACT
    try:
        with open(args[0], "rb") as f:
            state, _, _, words = verify(io.BytesIO(f.read()) if not f.seekable() else f, args[1].split(), [read(name) for name in args[2:]])
    except (OSError, ValueError, IndexError) as why:
        state, words = UNDECIDED, str(why)
    print(NAMES[state] + ": " + words)
    return state

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
