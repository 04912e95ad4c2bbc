#!/usr/bin/env python3
"""Verify an export of the audit trail, or the proof of an entry.

    verify.py FILE PUBLIC_KEY [FILE...]    further files: checkpoints that were kept, proofs of consistency
        --witness VKEY, --quorum N, --tsa-root FILE, --max-age SECONDS, --stamped-within SECONDS    what is wanted of strangers
    verify.py --cases FOLDER               the conformance cases: prints the verdict of each

Written from FORMAT.md alone, with Python's standard library. Exit 0 intact, 1 altered, 2 cannot decide."""
import base64, hashlib, io, json, os, re, sys
from datetime import datetime, timedelta, timezone

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
def public_key(text, kind=1):
    text = text.strip()
    need(text.count("+") >= 2, "no public key")
    name, number, raw = text.split("+", 2)
    raw = from64(raw, 33)
    need(named(name) and raw[0] == kind and hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4].hex() == number, "a letter is wrong")
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
        self.time, self.text = instant(lines[3][5:], NOTE_TIME), text
        need(signatures.endswith("\n"), "a signature without an end")
        signed, self.state, self.why = [], INTACT, ""
        for line in signatures[:-1].split("\n"):
            need(line.startswith("\u2014 ") and line.count(" ") == 2, "no signature")
            _, name, raw = line.split(" ")
            raw = from64(raw)
            need(named(name) and len(raw) >= 5, "no signature")
            signed.append((name, raw[:4], raw[4:]))
        need(len(signed) <= 100, "too many signatures")
        self.lines = signed
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

# Section 16: DER, certificates and time stamps
class Value:
    """One value in DER: its tag, what is in it, and all of its bytes."""
    def __init__(self, raw, at):
        need(len(raw) - at >= 2 and raw[at] & 0x1f != 0x1f, "no DER")
        length, head = raw[at + 1], at + 2
        if length >= 0x80:
            count = length & 0x7f
            need(1 <= count <= 3 and len(raw) - head >= count and raw[head], "no DER")
            length, head = int.from_bytes(raw[head:head + count], "big"), head + count
            need(length >= 0x80, "no DER")
        need(length <= len(raw) - head, "no DER")
        self.tag, self.end, self.body, self.all = raw[at], head + length, raw[head:head + length], raw[at:head + length]

    def list(self, tag, least=0, most=sys.maxsize):
        parts, at = [], 0
        while at < len(self.body):
            parts.append(Value(self.body, at))
            at = parts[-1].end
        need(self.tag == tag and least <= len(parts) <= most, "another value than is due")
        return parts

def alone(tag, raw):
    v = Value(raw, 0)
    need(v.tag == tag and v.end == len(raw), "another value than is due")
    return v

def oid(text):
    first, second, *rest = map(int, text.split("."))
    out = bytes([first * 40 + second])
    for n in rest:
        part = bytes([n & 0x7f])
        while n := n >> 7:
            part = bytes([0x80 | n & 0x7f]) + part
        out += part
    return out

INTEGER, BITS, OCTETS, OBJECT, SEQUENCE, SET, FIRST = 0x02, 0x03, 0x04, 0x06, 0x30, 0x31, 0xa0
HASHES = {oid("2.16.840.1.101.3.4.2.%d" % (i + 1)): h for i, h in enumerate(("sha256", "sha384", "sha512"))}
RSA_HASHES = {oid("1.2.840.113549.1.1.%d" % (i + 11)): h for i, h in enumerate(HASHES.values())}
EC_HASHES = {oid("1.2.840.10045.4.3.%d" % (i + 2)): h for i, h in enumerate(HASHES.values())}
RSA, EC = oid("1.2.840.113549.1.1.1"), oid("1.2.840.10045.2.1")
SIGNED_DATA, TST_INFO = oid("1.2.840.113549.1.7.2"), oid("1.2.840.113549.1.9.16.1.4")
CONTENT_TYPE, DIGEST = oid("1.2.840.113549.1.9.3"), oid("1.2.840.113549.1.9.4")
CERTIFICATE, CERTIFICATE_2 = oid("1.2.840.113549.1.9.16.2.12"), oid("1.2.840.113549.1.9.16.2.47")
KEY_USAGE, CONSTRAINTS, POLICIES, PURPOSE = [oid("2.5.29.%d" % n) for n in (15, 19, 32, 37)]
STAMPING, ANY_PURPOSE = oid("1.3.6.1.5.5.7.3.8"), oid("2.5.29.37.0")
# p, a, b, x and y of the base point, its order
CURVES = {
    oid("1.2.840.10045.3.1.7"): (
        2**256 - 2**224 + 2**192 + 2**96 - 1, -3, 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b,
        0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
        0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5,
        0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551),
    oid("1.3.132.0.34"): (
        2**384 - 2**128 - 2**96 + 2**32 - 1, -3,
        0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef,
        0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7,
        0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f,
        0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973),
}

def ec_add(p, q, prime):
    if p is None or q is None:
        return p or q
    if p[0] == q[0]:
        if (p[1] + q[1]) % prime == 0:
            return None
        slope = (3 * p[0] * p[0] - 3) * pow(2 * p[1], -1, prime) % prime
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, prime) % prime
    x = (slope * slope - p[0] - q[0]) % prime
    return x, (slope * (p[0] - x) - p[1]) % prime

def ec_times(n, p, prime):
    out = None
    while n:
        if n & 1:
            out = ec_add(out, p, prime)
        p, n = ec_add(p, p, prime), n >> 1
    return out

def unsigned(v):
    need(v.tag == INTEGER and v.body and not v.body[0] & 0x80 and (len(v.body) == 1 or v.body[0] or v.body[1] & 0x80), "no number")
    return int.from_bytes(v.body, "big")

def der_time(v):
    text = v.body.decode("ascii")
    if v.tag == 0x17:
        need(re.fullmatch("[0-9]{12}Z", text), "no time")
        text = ("19" if text[0] >= "5" else "20") + text
    need(v.tag in (0x17, 0x18) and re.fullmatch("[0-9]{14}Z", text), "no time")
    return datetime.strptime(text, "%Y%m%d%H%M%SZ")

class PublicKey:
    def __init__(self, info):
        algorithm, bits = info.list(SEQUENCE, 2, 2)
        kind, *rest = algorithm.list(SEQUENCE, 1)
        need(bits.tag == BITS and bits.body[:1] == b"\0", "no key")
        self.known, self.rsa = False, kind.body == RSA
        if self.rsa:
            self.n, self.e = [unsigned(v) for v in alone(SEQUENCE, bits.body[1:]).list(SEQUENCE, 2, 2)]
            self.known = 2048 <= self.n.bit_length() <= 8192
        elif kind.body == EC and rest and rest[0].body in CURVES:
            self.curve = CURVES[rest[0].body]
            p, size = self.curve[0], (self.curve[0].bit_length() + 7) // 8
            raw = bits.body[1:]
            if len(raw) == 1 + 2 * size and raw[0] == 4:
                self.x, self.y = int.from_bytes(raw[1:1 + size], "big"), int.from_bytes(raw[1 + size:], "big")
                self.known = self.x < p and self.y < p and (self.y**2 - self.x**3 + 3 * self.x - self.curve[2]) % p == 0

    def signed(self, rsa, by, text, signature):
        h = hashlib.new(by, text).digest()
        if not self.known or rsa != self.rsa:
            return False
        if self.rsa:
            size = (self.n.bit_length() + 7) // 8
            name = [k for k, v in HASHES.items() if v == by][0]
            info = bytes([SEQUENCE, len(name) + 4, OBJECT, len(name)]) + name + b"\5\0"
            info = bytes([SEQUENCE, len(info) + 2 + len(h)]) + info + bytes([OCTETS, len(h)]) + h
            padded = b"\0\1" + b"\xff" * (size - len(info) - 3) + b"\0" + info
            s = int.from_bytes(signature, "big")
            return len(signature) == size and s < self.n and pow(s, self.e, self.n).to_bytes(size, "big") == padded
        p, _, _, x, y, order = self.curve
        try:
            r, s = [unsigned(v) for v in alone(SEQUENCE, signature).list(SEQUENCE, 2, 2)]
        except ValueError:
            return False
        if not (0 < r < order and 0 < s < order):
            return False
        z = int.from_bytes(h, "big") >> max(0, len(h) * 8 - order.bit_length())
        w = pow(s, -1, order)
        point = ec_add(ec_times(z * w % order, (x, y), p), ec_times(r * w % order, (self.x, self.y), p), p)
        return point is not None and point[0] % order == r

class Certificate:
    def __init__(self, raw):
        self.raw = raw
        body, algorithm, signature = alone(SEQUENCE, raw).list(SEQUENCE, 3, 3)
        self.body, self.signature = body.all, signature.body[1:]
        need(signature.tag == BITS and signature.body[:1] == b"\0", "no certificate")
        parts = body.list(SEQUENCE, 6)
        if parts[0].tag == FIRST:
            parts = parts[1:]
        number, inside, issuer, validity, subject, key = parts[:6]
        need(number.tag == INTEGER and inside.all == algorithm.all, "no certificate")
        self.number, self.issuer, self.subject, self.key = number.body, issuer.all, subject.all, PublicKey(key)
        self.since, self.until = [der_time(v) for v in validity.list(SEQUENCE, 2, 2)]
        named = algorithm.list(SEQUENCE, 1)[0].body
        self.rsa, self.by = named in RSA_HASHES, RSA_HASHES.get(named) or EC_HASHES.get(named)
        self.extensions = {}
        for part in parts[6:]:
            if part.tag == 0xa3:
                for e in alone(SEQUENCE, part.body).list(SEQUENCE, 1):
                    name, *rest = e.list(SEQUENCE, 2, 3)
                    need(name.body not in self.extensions and rest[-1].tag == OCTETS, "no certificate")
                    self.extensions[name.body] = len(rest) == 2 and rest[0].all == b"\1\1\xff", rest[-1].body
        usage = alone(BITS, self.extensions[KEY_USAGE][1]).body[1:2] if KEY_USAGE in self.extensions else b"\4"
        self.may_sign = usage != b"" and usage[0] & 4 != 0
        self.ca, self.path = False, None
        if CONSTRAINTS in self.extensions:
            said = alone(SEQUENCE, self.extensions[CONSTRAINTS][1]).list(SEQUENCE, 0, 2)
            self.ca = bool(said) and said[0].all == b"\1\1\xff"
            self.path = unsigned(said[-1]) if said and said[-1].tag == INTEGER else None
        self.purposes = []
        if PURPOSE in self.extensions:
            self.purposes = [v.body for v in alone(SEQUENCE, self.extensions[PURPOSE][1]).list(SEQUENCE, 1)]

    def valid(self, at):
        return self.since <= at <= self.until

    def strange(self):
        return any(critical and name not in (KEY_USAGE, CONSTRAINTS, POLICIES, PURPOSE) for name, (critical, _) in self.extensions.items())

    def signs(self, other):
        return (self.ca and self.may_sign and self.subject == other.issuer and other.by is not None
                and self.key.signed(other.rsa, other.by, other.body, other.signature))

def certificates(raws):
    for raw in raws:
        try:
            yield Certificate(raw)
        except (ValueError, IndexError):
            pass  # one that cannot be read is as if it were not there

def leads(c, others, roots, at, below=0):
    """Whether a certificate leads to a root, through certificates that were valid then."""
    if any(c.raw == r.raw for r in roots):
        return c.valid(at) and c.key.known
    if not c.valid(at) or not c.key.known or c.strange() or below and c.purposes and not {STAMPING, ANY_PURPOSE} & set(c.purposes):
        return False
    for up in roots + (others if below < 8 else []):
        if up.raw != c.raw and up.valid(at) and up.signs(c) and (up.path is None or below <= up.path) and leads(up, others, roots, at, below + 1):
            return True
    return False

class Stamp:
    """A time stamp; refuses what cannot be read."""
    def __init__(self, raw):
        need(len(raw) <= 32 << 10, "too long")
        kind, content = alone(SEQUENCE, raw).list(SEQUENCE, 2, 2)
        need(kind.tag == OBJECT and kind.body == SIGNED_DATA and content.tag == FIRST, "no signed data")
        parts = alone(SEQUENCE, content.body).list(SEQUENCE, 4)
        kind, content = parts[2].list(SEQUENCE, 2)[:2]
        need(kind.tag == OBJECT and kind.body == TST_INFO and content.tag == FIRST, "no time stamp")
        self.content = alone(OCTETS, content.body).body
        version, policy, imprint, serial, at = alone(SEQUENCE, self.content).list(SEQUENCE, 5)[:5]
        need(version.all == b"\2\1\1" and policy.tag == OBJECT and serial.tag == INTEGER and serial.body, "no time stamp")
        need(at.tag == 0x18, "no time")
        said = at.body.decode("ascii")
        need(re.fullmatch(r"[2-9][0-9]{13}(\.[0-9]{0,8}[1-9])?Z", said), "no time")
        self.time = datetime.strptime(said[:14], "%Y%m%d%H%M%S") + timedelta(microseconds=int(said[15:-1].ljust(6, "0")[:6]))
        by, digest = imprint.list(SEQUENCE, 2)[:2]
        need(HASHES.get(self.algorithm(by)) == "sha256" and digest.tag == OCTETS and len(digest.body) == 32, "another hash")
        self.imprint = digest.body
        self.certificates = [c for p in parts[3:-1] if p.tag == FIRST for c in certificates(v.all for v in p.list(FIRST))]
        signer, = parts[-1].list(SET, 1, 1)
        version, who, by, attributes, algorithm, signature = signer.list(SEQUENCE, 6)[:6]
        need(version.all == b"\2\1\1" and attributes.tag == FIRST and signature.tag == OCTETS, "no signer")
        self.issuer, self.number = who.list(SEQUENCE, 2, 2)
        need(self.number.tag == INTEGER, "no signer")
        self.by, self.signature, name = HASHES[self.algorithm(by)], signature.body, self.algorithm(algorithm)
        self.rsa = name == RSA or name in RSA_HASHES
        self.signed_by = self.by if name == RSA else RSA_HASHES.get(name) or EC_HASHES[name]
        self.signed, said = b"\x31" + attributes.all[1:], {}
        for a in attributes.list(FIRST):
            name, values = a.list(SEQUENCE, 2, 2)
            need(name.tag == OBJECT and name.body not in said, "no attributes")
            said[name.body], = values.list(SET, 1, 1)
        need(said[CONTENT_TYPE].tag == OBJECT and said[DIGEST].tag == OCTETS, "no attributes")
        self.type, self.digest = said[CONTENT_TYPE].body, said[DIGEST].body
        named = [self.certificate_of(said[k], h) for k, h in ((CERTIFICATE_2, "sha256"), (CERTIFICATE, "sha1")) if k in said]
        self.named_by, self.named = named[0]

    @staticmethod
    def algorithm(v):
        name = v.list(SEQUENCE, 1)[0]
        need(name.tag == OBJECT, "no algorithm")
        return name.body

    def certificate_of(self, v, by):
        parts = v.list(SEQUENCE, 1)[0].list(SEQUENCE, 1)[0].list(SEQUENCE, 1)
        if by != "sha1" and parts[0].tag == SEQUENCE:
            by, parts = HASHES[self.algorithm(parts[0])], parts[1:]
        need(parts[0].tag == OCTETS, "no attributes")
        return by, parts[0].body

    def judge(self, roots):
        """Why it convinces nobody who has these roots: a state and words; INTACT when it does."""
        own = [c for c in self.certificates if c.issuer == self.issuer.all and c.number == self.number.body]
        if not own or not leads(own[0], self.certificates, roots, self.time):
            return UNDECIDED, "a stamp does not lead to a root that was given, or its certificate was not valid then"
        c = own[0]
        if c.purposes != [STAMPING] or not c.extensions[PURPOSE][0]:
            return UNDECIDED, "a stamp's certificate is not for time stamps alone"
        right = (self.type == TST_INFO and self.digest == hashlib.new(self.by, self.content).digest()
                 and self.named == hashlib.new(self.named_by, c.raw).digest()
                 and c.key.signed(self.rsa, self.signed_by, self.signed, self.signature))
        return (INTACT, "") if right else (ALTERED, "a stamp was changed after it was signed")

def roots_of(text):
    found = re.findall("-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\\s]*)-----END CERTIFICATE-----", text)
    roots = list(certificates(base64.b64decode(r) for r in found))
    need(roots, "a file that has no root")
    return roots

def key_hash(name):
    return hashlib.sha256(name.encode() + b"\n\xffrfc3161").digest()[:4]

# Section 17: what strangers signed
class Wishes:
    def __init__(self, witnesses=(), quorum=0, roots=(), max_age=0, within=0, now=None):
        self.witnesses, self.roots = [public_key(k, 4) for k in witnesses], [r for text in roots for r in roots_of(text)]
        self.quorum, self.asks_stamps = quorum or len({w[0] for w in self.witnesses}), bool(roots)
        self.max_age, self.within = timedelta(seconds=max_age), timedelta(seconds=within)
        self.now = now or datetime.now(timezone.utc).replace(tzinfo=None)

class Strangers:
    def __init__(self, wishes, wrong, origin):
        self.wishes, self.wrong, self.origin = wishes, wrong, origin
        self.stamps, self.cosigned, self.forks, self.weak, self.entries = [], [], [], [], []

    def compared(self, c, same):
        for name, number, raw in c.lines:
            if number == key_hash(name):
                if same:
                    self.stamp(c, name, raw)
            else:
                self.cosignature(c, name, number, raw, same)

    def early(self, c, name, at):
        if at < c.time - TEN_MINUTES:
            self.wrong("%s signed the checkpoint of %d entries before its own time" % (name, c.size))
        return at < c.time - TEN_MINUTES

    def stamp(self, c, name, raw):
        try:
            s = Stamp(raw)
        except (ValueError, KeyError, IndexError):
            self.weak.append(("stamp", "the stamp of %s cannot be read" % name))
            return
        if s.imprint != hashlib.sha256(c.text.encode()).digest():
            self.wrong("the stamp of %s is of another text" % name)
        elif self.wishes.asks_stamps:
            state, why = s.judge(self.wishes.roots)
            if state == UNDECIDED:
                self.weak.append(("stamp", why + ": " + name))
            elif state == ALTERED:
                self.wrong(why + ": " + name)
            elif not self.early(c, name, s.time):
                self.stamps.append((c.size, name, s.time))

    def cosignature(self, c, name, number, raw, same):
        named = [w for w in self.wishes.witnesses if w[0] == name]
        for w in [w for w in named if w[1] == number][:1]:
            seconds = int.from_bytes(raw[:8], "big")
            right = len(raw) == 72 and seconds <= 253402300799
            right = right and signed_by(w[2], b"cosignature/v1\ntime %d\n" % seconds + c.text.encode(), raw[8:])
            at = datetime(1970, 1, 1) + timedelta(seconds=seconds) if right else None
            if not same:
                if right and c.origin == self.origin:
                    self.forks.append((c.size, name))
            elif not right:
                self.wrong("the cosignature of %s is not of the checkpoint of %d entries" % (name, c.size))
            elif not self.early(c, name, at):
                self.cosigned.append((c.size, name, at))
            return
        if named and same and name != trail(c.origin):
            self.weak.append(("witness", "%s signed with another key: it was replaced, or is somebody else's" % name))

    def end(self, least):
        w = self.wishes
        for size, name in self.forks:
            if any(n == name and s >= size for s, n, _ in self.cosigned):
                self.wrong("%s signed two pasts that contradict each other" % name)
        stamps, cosigned = [v for v in self.stamps if v[0] > least], [v for v in self.cosigned if v[0] > least]
        since, to = [], max([s for s, _, _ in stamps], default=0)
        for size in {s for s, _, _ in cosigned}:
            latest = {}
            for s, name, at in cosigned:
                if s == size:
                    latest[name] = max(at, latest.get(name, at))
            if 0 < w.quorum <= len(latest):
                since.append(sorted(latest.values())[-w.quorum])
                to = max(to, size)
        lacks_stamp, lacks_quorum = w.asks_stamps and not stamps, bool(w.witnesses) and not since
        if lacks_stamp:
            self.wrong("no time stamp of an authority that is trusted", state=UNDECIDED)
        if lacks_quorum:
            self.wrong("fewer witnesses have signed than were asked for", state=UNDECIDED)
        for kind, why in self.weak:
            if lacks_stamp and kind == "stamp" or lacks_quorum and kind == "witness":
                self.wrong(why, state=UNDECIDED)
        newest = max(since + [at for _, _, at in stamps], default=None)
        if w.max_age and not lacks_stamp and not lacks_quorum and (newest is None or w.now - newest > w.max_age):
            self.wrong("the newest stamp or cosignature is too old", state=UNDECIDED)
        for line, n, id, at in self.entries if w.within else ():
            until = at + w.within
            if w.now > until and not any(size > n and when <= until for size, _, when in stamps):
                self.wrong("it was not stamped in time", line, n, id, UNDECIDED)
                break
        if not to:
            return ""
        said = ["%s, since %sZ" % (name, min(t for s, m, t in stamps + cosigned if m == name and s == size).isoformat())
                for size, name in sorted({(max(s for s, m, _ in stamps + cosigned if m == n), n) for _, n, _ in stamps + cosigned})]
        return "; strangers vouch for the first %d entries: %s" % (to, ", ".join(said))

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
    def __init__(self, keys, kept, proofs, wishes):
        self.keys, self.kept, self.proofs, self.found, self.wishes = keys, kept, list(proofs), [], wishes
        self.compared, self.others, self.own, self.words, self.brought, self.strangers = 0, [], None, "", [], None

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
        self.strangers = Strangers(self.wishes, self.wrong, self.own.origin)
        if self.own.state != INTACT:
            self.wrong(self.own.why, 1, state=self.own.state)
        else:
            self.strangers.compared(self.own, True)

    def open_kept(self, comparable):
        """Section 8: which of the checkpoints that were kept, or that the file brings, can be compared."""
        opened = []
        for i, note in enumerate(self.kept + self.brought):
            try:
                c = Checkpoint(note, self.keys)
                need(c.state == INTACT, c.why)
                need(trail(c.origin) == trail(self.own.origin), "a checkpoint of another trail")
                need(c.size > 0, "a checkpoint of no entries")
                need(comparable(c), "no proof of consistency was given")
                c.brought = i >= len(self.kept)
                opened.append(c)
            except ValueError as why:
                if i < len(self.kept):
                    self.others.append(str(why))
        self.kept = sorted(opened, key=lambda c: c.size)

    def compare(self, c, same):
        self.compared += not c.brought
        self.strangers.compared(c, same)
        if not same and c.origin != self.own.origin:
            if not c.brought:
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
            if self.by_proof(c) or c.brought:
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
            need(isinstance(h.get("attested", []), list), "no header")
            self.brought = h.get("attested", [])
            for other in (h["publicKeys"] or []) + self.brought:
                text(other)
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
        self.strangers.entries.append((self.number, n, id, said["at"]))
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
            elif not self.by_proof(c) and not c.brought:
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
            need(len(raw) <= 32 << 20 and set(p) - {"consistency", "attested"} == self.MEMBERS and p["format"] == "veinte-audit-proof/1", "no proof")
            n, id, era = whole(p["n"], 0, 2**48 - 1), whole(p["id"], 1, 2**63 - 1), whole(p["era"], 1, 2**31 - 1)
            pattern("0|[1-9][0-9]{0,19}")(p["txid"])
            txid = int(p["txid"])
            for name in ("entry", "checkpoint"):
                text(p[name])
            need(txid < 2**64 and isinstance(p["proof"], list) and isinstance(p.get("consistency", []), list), "no proof")
            proof, self.brought = [from64(h, 32) for h in p["proof"]], p.get("attested", [])
            need(isinstance(self.brought, list), "no proof")
            for note in self.brought:
                text(note)
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
        try:
            self.strangers.entries.append((0, n, id, canonical(raw)["at"]))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            pass
        own, self.n = self.own.size, n
        self.open_kept(lambda c: c.size == own or any((a, b) == (min(c.size, own), max(c.size, own)) for a, b, _ in self.proofs))
        self.end_kept()
        self.words = "entry %d is n %d of %d entries, %sZ; %d checkpoints compared" % (
            id, n, self.own.size, self.own.time.isoformat(), self.compared)

def verify(file, keys, others, **wishes):
    """The verdict on a file: state, n, id, words. others: what further files hold; wishes: what is wanted of strangers."""
    try:
        wishes = Wishes(**wishes)
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
        v = kind(keys, kept, proofs, wishes)
    except (ValueError, KeyError, TypeError, IndexError) as why:
        return UNDECIDED, -1, 0, str(why)
    try:
        v.run(file)
    except Stop:
        pass
    if v.strangers:
        v.words += v.strangers.end(v.n if kind is Proof else 0)
    return v.verdict()

def read(name):
    with open(name, encoding="utf-8", newline="") as f:
        return f.read()

def asked(args):
    """The wishes of a command line, and what else is in it."""
    wishes, rest, args = {"witnesses": [], "roots": []}, [], list(args)
    numbers = {"--quorum": "quorum", "--max-age": "max_age", "--stamped-within": "within"}
    while args:
        name = args.pop(0)
        if name in numbers:
            wishes[numbers[name]] = int(args.pop(0))
        elif name == "--witness":
            wishes["witnesses"].append(args.pop(0))
        elif name == "--tsa-root":
            wishes["roots"].append(read(args.pop(0)))
        else:
            rest.append(name)
    return wishes, rest

def main(args):
    if args[:1] == ["--cases"]:
        with open(os.path.join(args[1], "cases.json"), encoding="utf-8") as f:
            cases = json.load(f)
        at = lambda name: os.path.join(args[1], name)
        for c in cases:
            now = instant(c["now"], NOTE_TIME) if "now" in c else None
            with open(at(c["file"]), "rb") as f:
                state, n, id, words = verify(
                    f, c["keys"], [read(at(name)) for name in c.get("with", [])], witnesses=c.get("witnesses", []), quorum=c.get("quorum", 0),
                    roots=[read(at(name)) for name in c.get("roots", [])], max_age=c.get("maxAge", 0), within=c.get("stampedWithin", 0), now=now)
            print("%s\t%s\t%d\t%d\t%s" % (c["name"], NAMES[state], n, id, words.replace("\n", " ")))
        return INTACT
    try:
        wishes, args = asked(args)
        with open(args[0], "rb") as f:
            state, _, _, words = verify(
                io.BytesIO(f.read()) if not f.seekable() else f, args[1].split(), [read(name) for name in args[2:]], **wishes)
    except (OSError, ValueError, IndexError) as why:
        state, words = UNDECIDED, str(why)
    print(NAMES[state] + ": " + words)
    return state

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
