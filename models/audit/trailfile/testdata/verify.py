#!/usr/bin/env python3
"""Verify an export of the audit trail: verify.py FILE PUBLIC_KEY [CHECKPOINT_FILE...]

Written from FORMAT.md alone, with Python's standard library. Exit 0 intact, 1 altered, 2 cannot decide."""
import base64, hashlib, json, sys
from datetime import datetime

FIELDS = """v nonce at actorId actor role onBehalfOf action outcome storeId store serialNumber saleId orderId cancellationId attempt
amountCentavos before after reason address userAgent requestId""".split()
P = 2**255 - 19  # Ed25519, RFC 8032
Q = 2**252 + 27742317777372353535851937790883648493
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

def signed_by(key, text, signature):
    a, r, s = point(key), point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q or len(signature) != 64:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % Q
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), add(r, times(h, a))
    return not ((left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P)

def stop(code, why):
    print(("intact", "altered", "cannot decide")[code] + ": " + why)
    sys.exit(code)

def public_key(text):
    name, number, raw = text.strip().split("+", 2)
    raw = base64.b64decode(raw, validate=True)
    if raw[0] != 1 or len(raw) != 33 or hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4].hex() != number:
        raise ValueError("a letter is wrong")
    return name, bytes.fromhex(number), raw[1:]

def checkpoint(note, key):
    text, signatures = note.split("\n\n", 1)
    text += "\n"
    origin, size, root, when, _ = text.split("\n")
    name, number, raw = key
    lines = [base64.b64decode(s.split(" ")[2]) for s in signatures.split("\n") if s.startswith("\u2014 " + name + " ")]
    own = [s[4:] for s in lines if s[:4] == number]
    if not own or origin != name:
        stop(2, "the checkpoint is signed by another key")
    if not all(signed_by(raw, text.encode(), s) for s in own):
        stop(1, "the checkpoint was changed after it was signed")
    return int(size), base64.b64decode(root, validate=True), when

def leaf(e):
    return hashlib.sha256(b"\0veinte-entry/1 %d %d %s\n" % (e["id"], e["era"], e["txid"].encode()) + e["entry"].encode()).digest()

def push(stack, level, h):
    while stack and stack[-1][0] == level:
        level, h = level + 1, hashlib.sha256(b"\1" + stack.pop()[1] + h).digest()
    stack.append((level, h))

def root(stack):
    h = stack[-1][1] if stack else hashlib.sha256().digest()
    for _, left in reversed(stack[:-1]):
        h = hashlib.sha256(b"\1" + left + h).digest()
    return h

def once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a field twice")
    return dict(pairs)

def instant(text):
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ") if len(text) == 27 else None
    except (ValueError, TypeError):
        return None

def state_of(o):
    state, number = (o.get("state"), o.get("sequence")) if isinstance(o, dict) else (None, None)
    return state if isinstance(state, str) else "", number if type(number) is int and 0 < number < 2**31 else 0

def move(last, said, gaps):
    """Section 6, step 5: what is wrong with a move, compared with the last one of its cancellation."""
    c = said.get("cancellationId")
    if said.get("action") not in ("cancellation.requested", "cancellation.moved") or type(c) is not int or not 0 < c < 2**63:
        return ""
    before, (after, number), at, wrong = state_of(said.get("before"))[0], state_of(said.get("after")), instant(said.get("at")), ""
    was_number, was, was_at, was_gaps = last.get(c, (0, "", None, 0))
    known, whole = c in last, was_gaps == gaps
    if known and was == "confirmed":
        if was_number or number:
            wrong = "confirmed is final"
        return wrong
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
    elif was_number and at and was_at and at < was_at:
        wrong = "its time is before that of the move before it"
    last[c] = number, after, at, gaps
    return wrong

def verify(file, key, kept):
    header = file.readline()
    try:
        h = json.loads(header)
        note = h["checkpoint"] if h["format"] == "veinte-audit-export/1" else None
    except (ValueError, KeyError, TypeError):
        note = None
    if note is None:
        stop(2, "no export of a trail")
    size, want, when = checkpoint(note, key)
    kept, sha, stack, n, entries, amount, bad, last = sorted(kept), hashlib.sha256(header), [], 0, 0, 0, "", (0, 0, 0)
    moves, gaps = {}, 0
    for number, line in enumerate(file, 2):
        try:
            e = json.loads(line)
            if e.get("end"):
                if file.read(1) or (e["entries"], e["amountCentavos"], e["sha256"]) != (entries, str(amount), sha.hexdigest()):
                    bad = bad or "the footer does not fit the file"
                break
            sha.update(line)
            if "gap" in e:
                gaps += 1
                at, to, pushes = e["gap"]["from"], e["gap"]["to"], []
                first = at
                for g in e["gap"]["hashes"]:
                    level = max(i for i in range(60) if at % 2**i == 0 and at + 2**i <= to)
                    pushes.append((level, base64.b64decode(g, validate=True)))
                    at += 2**level
            else:
                first, to, at, pushes = e["n"], e["n"] + 1, e["n"] + 1, [(0, base64.b64decode(e["hash"], validate=True))]
                said = json.loads(e["entry"], object_pairs_hook=once)
                if leaf(e) != pushes[0][1] or said["v"] not in (1, 2) or list(said) != [f for f in FIELDS if f in said]:
                    bad, gaps = bad or "entry n %d, id %d, line %d was changed" % (n, e["id"], number), gaps + 1
                else:
                    wrong = move(moves, said, gaps)
                    bad = bad or wrong and "entry n %d, id %d, line %d: %s" % (n, e["id"], number, wrong)
                last, before = (e["era"], int(e["txid"]), e["id"]), last
                bad = bad or ("" if last > before else "entry n %d, line %d is not behind the one before it" % (n, number))
                entries, amount = entries + 1, amount + said.get("amountCentavos", 0)
            if first != n or at != to or to > size:
                raise ValueError("out of order")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as why:
            stop(1 if line.endswith(b"\n") or bad else 2, bad or "line %d: %s" % (number, why))
        for level, g in pushes:
            push(stack, level, g)
            n += 2**level
            while kept and kept[0][0] <= n:
                if kept[0][0] == n and kept[0][1] != root(stack):
                    bad = bad or "a checkpoint of %d entries tells of another past" % n
                kept.pop(0)
    else:
        stop(1 if bad else 2, bad or "truncated: no footer")
    if bad or n != size or root(stack) != want:
        stop(1, bad or "the entries do not give the signed root")
    if kept: stop(2, "a checkpoint has more entries than the file")
    left = "; left out: %d entries; the file proves those shown and nothing of the others" % (size - entries) if entries < size else ""
    stop(bool(left) if h.get("complete") is True else 0 if h.get("filters") else 2, "%d entries of %d, %s%s" % (entries, size, when, left))

try:
    trusted = public_key(sys.argv[2])
    with open(sys.argv[1], "rb") as f:
        verify(f, trusted, [checkpoint(open(name, encoding="utf-8").read(), trusted) for name in sys.argv[3:]])
except (OSError, ValueError, IndexError) as problem:
    stop(2, str(problem))
