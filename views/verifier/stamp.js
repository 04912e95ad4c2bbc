// Time stamps (RFC 3161) as section 16 of FORMAT.md has them: DER, certificates, RSA and ECDSA.
// WebCrypto is not used here either: it does not read certificates, and waits where the other
// code does not.

// Values in DER

const INTEGER = 0x02, BITS = 0x03, OCTETS = 0x04, OBJECT = 0x06, SEQUENCE = 0x30, SET = 0x31, FIRST = 0xa0;

class Value {
	constructor(raw, at) {
		need(raw.length - at >= 2 && (raw.charCodeAt(at) & 0x1f) !== 0x1f, 'der');
		let length = raw.charCodeAt(at + 1), head = at + 2;
		if (length >= 0x80) {
			const count = length & 0x7f;
			need(count >= 1 && count <= 3 && raw.length - head >= count && raw.charCodeAt(head), 'der');
			length = 0;
			for (let i = 0; i < count; i++) length = length * 256 + raw.charCodeAt(head + i);
			head += count;
			need(length >= 0x80, 'der');
		}
		need(length <= raw.length - head, 'der');
		Object.assign(this, { tag: raw.charCodeAt(at), end: head + length, body: raw.slice(head, head + length), all: raw.slice(at, head + length) });
	}

	list(tag, least = 0, most = Infinity) {
		const parts = [];
		for (let at = 0; at < this.body.length; at = parts.at(-1).end) parts.push(new Value(this.body, at));
		need(this.tag === tag && least <= parts.length && parts.length <= most, 'der');
		return parts;
	}
}

function alone(tag, raw) {
	const v = new Value(raw, 0);
	need(v.tag === tag && v.end === raw.length, 'der');
	return v;
}

function oid(text) {
	const [first, second, ...rest] = text.split('.').map(Number);
	let out = String.fromCharCode(first * 40 + second);
	for (let n of rest) {
		let part = String.fromCharCode(n & 0x7f);
		while ((n >>= 7)) part = String.fromCharCode(0x80 | (n & 0x7f)) + part;
		out += part;
	}
	return out;
}

function unsigned(v) {
	const first = v.body.charCodeAt(0);
	need(v.tag === INTEGER && v.body && first < 0x80 && (v.body.length === 1 || first || v.body.charCodeAt(1) >= 0x80), 'der');
	return BigInt('0x' + hex(v.body));
}

const DER_TIME = /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;
const STAMP_TIME = /^([2-9][0-9]{3})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{0,8}[1-9]))?Z$/;

// derTime is a time of a certificate, which may be of a year that instant refuses.
function derTime(v) {
	const text = v.tag === 0x17 ? (v.body >= '5' ? '19' : '20') + v.body : v.body, m = DER_TIME.exec(text);
	need((v.tag === 0x17 || v.tag === 0x18) && m, 'der');
	return BigInt(Date.UTC(+m[1], m[2] - 1, +m[3], +m[4], +m[5], +m[6])) * 1000n;
}

// Hashes by their names

const PKCS = '1.2.840.113549.1.', HASHES = new Map(), RSA_HASHES = new Map(), EC_HASHES = new Map();
['sha256', 'sha384', 'sha512'].forEach((h, i) => {
	HASHES.set(oid('2.16.840.1.101.3.4.2.' + (i + 1)), h);
	RSA_HASHES.set(oid(PKCS + '1.' + (i + 11)), h);
	EC_HASHES.set(oid('1.2.840.10045.4.3.' + (i + 2)), h);
});
const RSA = oid(PKCS + '1.1'), EC = oid('1.2.840.10045.2.1');
const SIGNED_DATA = oid(PKCS + '7.2'), TST_INFO = oid(PKCS + '9.16.1.4'), CONTENT_TYPE = oid(PKCS + '9.3'), DIGEST = oid(PKCS + '9.4');
const CERTIFICATE = oid(PKCS + '9.16.2.12'), CERTIFICATE_2 = oid(PKCS + '9.16.2.47');
const KEY_USAGE = oid('2.5.29.15'), CONSTRAINTS = oid('2.5.29.19'), POLICIES = oid('2.5.29.32'), PURPOSE = oid('2.5.29.37');
const STAMPING = oid('1.3.6.1.5.5.7.3.8'), ANY_PURPOSE = oid('2.5.29.37.0');

// sha1 is only for the hash by which older authorities name their certificate.
function sha1(text) {
	const bytes = bytesOf(text + '\x80' + '\0'.repeat((119 - (text.length % 64)) % 64 + 8)), view = new DataView(bytes.buffer);
	view.setBigUint64(bytes.length - 8, BigInt(text.length) * 8n);
	const h = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0], w = [], turned = (x, n) => (x << n) | (x >>> (32 - n));
	for (let at = 0; at < bytes.length; at += 64) {
		let [a, b, c, d, e] = h;
		for (let i = 0; i < 80; i++) {
			w[i] = i < 16 ? view.getUint32(at + 4 * i) : turned(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
			const [f, k] = i < 20 ? [(b & c) | (~b & d), 0x5a827999] : i < 40 ? [b ^ c ^ d, 0x6ed9eba1]
				: i < 60 ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc] : [b ^ c ^ d, 0xca62c1d6];
			[a, b, c, d, e] = [(turned(a, 5) + f + e + k + w[i]) | 0, a, turned(b, 30), c, d];
		}
		[a, b, c, d, e].forEach((x, i) => { h[i] = (h[i] + x) | 0; });
	}
	return h.map((x) => String.fromCharCode(x >>> 24, (x >>> 16) & 255, (x >>> 8) & 255, x & 255)).join('');
}

const H384 = primes.slice(8, 16).map((p) => fraction(p, 2, 64));
const hashed = (by, text) => ({ sha1: () => sha1(text), sha256: () => sha256(text), sha384: () => sha512(text, H384).slice(0, 48), sha512: () => sha512(text) })[by]();

// Keys

function raised(base, exponent, n) {
	let out = 1n;
	for (let b = base % n, e = exponent; e; e >>= 1n, b = b * b % n) if (e & 1n) out = out * b % n;
	return out;
}

function inverse(x, n) {
	let [a, b, u, v] = [((x % n) + n) % n, n, 1n, 0n];
	while (b) {
		const q = a / b;
		[a, b, u, v] = [b, a - q * b, v, u - q * v];
	}
	return ((u % n) + n) % n;
}

// p, b, x and y of the base point, its order
const CURVES = new Map([
	[oid('1.2.840.10045.3.1.7'), [
		2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n, 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
		0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
		0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
		0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n]],
	[oid('1.3.132.0.34'), [
		2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
		0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
		0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
		0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
		0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n]],
]);

function ecAdd(p, q, m) {
	if (!p || !q) return p || q;
	if (p[0] === q[0] && (p[1] + q[1]) % m === 0n) return null;
	const slope = p[0] === q[0] ? (3n * p[0] * p[0] - 3n) * inverse(2n * p[1], m) : (q[1] - p[1]) * inverse(q[0] - p[0], m);
	const low = (x) => ((x % m) + m) % m, x = low(slope * slope - p[0] - q[0]);
	return [x, low(slope * (p[0] - x) - p[1])];
}

function ecTimes(n, p, m) {
	let out = null;
	for (; n; n >>= 1n, p = ecAdd(p, p, m)) if (n & 1n) out = ecAdd(out, p, m);
	return out;
}

const bits = (n) => n.toString(2).length;

class PublicKey {
	constructor(info) {
		const [algorithm, said] = info.list(SEQUENCE, 2, 2), [kind, named] = algorithm.list(SEQUENCE, 1);
		need(said.tag === BITS && said.body[0] === '\0', 'der');
		this.known = false;
		this.rsa = kind.body === RSA;
		if (this.rsa) {
			[this.n, this.e] = alone(SEQUENCE, said.body.slice(1)).list(SEQUENCE, 2, 2).map(unsigned);
			this.known = bits(this.n) >= 2048 && bits(this.n) <= 8192;
		} else if (kind.body === EC && CURVES.has(named?.body)) {
			this.curve = CURVES.get(named.body);
			const [p, b] = this.curve, size = Math.ceil(bits(p) / 8), raw = said.body.slice(1);
			if (raw.length === 1 + 2 * size && raw[0] === '\x04') {
				const [x, y] = this.point = [raw.slice(1, 1 + size), raw.slice(1 + size)].map((c) => BigInt('0x' + hex(c)));
				this.known = x < p && y < p && (y * y - x * x * x + 3n * x - b) % p === 0n;
			}
		}
	}

	signed(rsa, by, text, signature) {
		if (!this.known || rsa !== this.rsa) return false;
		const h = hashed(by, text);
		if (rsa) {
			const size = Math.ceil(bits(this.n) / 8), one = String.fromCharCode, name = [...HASHES].find(([, v]) => v === by)[0];
			const algorithm = one(SEQUENCE, name.length + 4, OBJECT, name.length) + name + '\x05\0';
			const info = one(SEQUENCE, algorithm.length + 2 + h.length) + algorithm + one(OCTETS, h.length) + h;
			const padded = '\0\x01' + '\xff'.repeat(size - info.length - 3) + '\0' + info, s = BigInt('0x' + (hex(signature) || '0'));
			return signature.length === size && s < this.n && raised(s, this.e, this.n) === BigInt('0x' + hex(padded));
		}
		const [p, , x, y, order] = this.curve;
		let r, s;
		try {
			[r, s] = alone(SEQUENCE, signature).list(SEQUENCE, 2, 2).map(unsigned);
		} catch (e) {
			if (!(e instanceof Refused)) throw e;
			return false;
		}
		if (!r || !s || r >= order || s >= order) return false;
		const z = BigInt('0x' + hex(h)) >> BigInt(Math.max(0, h.length * 8 - bits(order))), w = inverse(s, order);
		const at = ecAdd(ecTimes(z * w % order, [x, y], p), ecTimes(r * w % order, this.point, p), p);
		return Boolean(at) && at[0] % order === r;
	}
}

// Certificates

const TRUE = '\x01\x01\xff';

class Certificate {
	constructor(raw) {
		const [body, algorithm, signature] = alone(SEQUENCE, raw).list(SEQUENCE, 3, 3);
		need(signature.tag === BITS && signature.body[0] === '\0', 'der');
		let parts = body.list(SEQUENCE, 6);
		if (parts[0].tag === FIRST) parts = parts.slice(1);
		const [number, inside, issuer, validity, subject, key] = parts;
		need(number.tag === INTEGER && key && inside.all === algorithm.all, 'der');
		const named = algorithm.list(SEQUENCE, 1)[0].body;
		Object.assign(this, {
			raw, body: body.all, signature: signature.body.slice(1), number: number.body, issuer: issuer.all, subject: subject.all,
			key: new PublicKey(key), rsa: RSA_HASHES.has(named), by: RSA_HASHES.get(named) ?? EC_HASHES.get(named), extensions: new Map(),
			ca: false, path: null, purposes: [], called: calledBy(subject.all),
		});
		[this.since, this.until] = validity.list(SEQUENCE, 2, 2).map(derTime);
		for (const part of parts.slice(6).filter((p) => p.tag === 0xa3)) {
			for (const e of alone(SEQUENCE, part.body).list(SEQUENCE, 1)) {
				const [name, ...rest] = e.list(SEQUENCE, 2, 3);
				need(!this.extensions.has(name.body) && rest.at(-1).tag === OCTETS, 'der');
				this.extensions.set(name.body, { critical: rest.length === 2 && rest[0].all === TRUE, value: rest.at(-1).body });
			}
		}
		const value = (name, tag, ...how) => (this.extensions.has(name) ? alone(tag, this.extensions.get(name).value).list(tag, ...how) : []);
		this.maySign = !this.extensions.has(KEY_USAGE) || (alone(BITS, this.extensions.get(KEY_USAGE).value).body.charCodeAt(1) & 4) !== 0;
		const said = value(CONSTRAINTS, SEQUENCE, 0, 2);
		this.ca = said[0]?.all === TRUE;
		if (said.at(-1)?.tag === INTEGER) this.path = unsigned(said.at(-1));
		this.purposes = value(PURPOSE, SEQUENCE, 1).map((v) => v.body);
	}

	valid(at) { return this.since <= at && at <= this.until; }

	strange() { return [...this.extensions].some(([name, e]) => e.critical && ![KEY_USAGE, CONSTRAINTS, POLICIES, PURPOSE].includes(name)); }

	signs(other) {
		return this.ca && this.maySign && this.subject === other.issuer && other.by !== undefined
			&& this.key.signed(other.rsa, other.by, other.body, other.signature);
	}
}

// calledBy is the common name of a subject, or the organization; '' when it cannot be read.
function calledBy(subject) {
	const names = new Map();
	try {
		for (const set of alone(SEQUENCE, subject).list(SEQUENCE)) {
			for (const pair of set.list(SET)) {
				const [kind, text] = pair.list(SEQUENCE, 2, 2);
				if (text.tag === 0x0c || text.tag === 0x13) names.set(kind.body, decode(text.body));
			}
		}
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
	}
	return names.get(oid('2.5.4.3')) ?? names.get(oid('2.5.4.10')) ?? '';
}

// certificates reads those that it can; one that it cannot read is as if it were not there.
function certificates(raws) {
	return raws.flatMap((raw) => {
		try {
			return [new Certificate(raw)];
		} catch (e) {
			if (!(e instanceof Refused)) throw e;
			return [];
		}
	});
}

// leads says whether a certificate leads to a root, through certificates that were valid then.
function leads(c, others, roots, at, below = 0) {
	if (!c.valid(at) || !c.key.known) return false;
	if (roots.some((r) => r.raw === c.raw)) return true;
	if (c.strange() || (below && c.purposes.length && !c.purposes.some((p) => p === STAMPING || p === ANY_PURPOSE))) return false;
	return [...roots, ...(below < 8 ? others : [])].some((up) => up.raw !== c.raw && up.valid(at) && up.signs(c)
		&& (up.path === null || BigInt(below) <= up.path) && leads(up, others, roots, at, below + 1));
}

function rootsOf(text) {
	const found = [...text.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g)];
	const roots = certificates(found.map((m) => from64(m[1].replace(/\s+/g, ''))));
	need(roots.length > 0, 'noRoot');
	return roots;
}

// Stamps

const stampHash = (name) => hex(sha256(name + '\n\xffrfc3161').slice(0, 4));

function algorithmOf(v) {
	const [name] = v.list(SEQUENCE, 1);
	need(name.tag === OBJECT, 'der');
	return name.body;
}

// known is what a name stands for; one that is not known is refused.
function known(map, name) {
	need(map.has(name), 'der');
	return map.get(name);
}

class Stamp {
	constructor(raw) {
		need(raw.length <= 32 << 10, 'der');
		let [kind, content] = alone(SEQUENCE, raw).list(SEQUENCE, 2, 2);
		need(kind.tag === OBJECT && kind.body === SIGNED_DATA && content.tag === FIRST, 'der');
		const parts = alone(SEQUENCE, content.body).list(SEQUENCE, 4);
		[kind, content] = parts[2].list(SEQUENCE, 2);
		need(kind.tag === OBJECT && kind.body === TST_INFO && content.tag === FIRST, 'der');
		this.content = alone(OCTETS, content.body).body;
		const [version, policy, imprint, serial, at] = alone(SEQUENCE, this.content).list(SEQUENCE, 5);
		need(version.all === '\x02\x01\x01' && policy.tag === OBJECT && serial.tag === INTEGER && serial.body && at.tag === 0x18, 'der');
		this.time = instant(at.body, STAMP_TIME);
		const [hash, digest] = imprint.list(SEQUENCE, 2);
		need(known(HASHES, algorithmOf(hash)) === 'sha256' && digest.tag === OCTETS && digest.body.length === 32, 'der');
		this.imprint = digest.body;
		this.certificates = parts.slice(3, -1).filter((p) => p.tag === FIRST).flatMap((p) => certificates(p.list(FIRST).map((v) => v.all)));
		const [signer] = parts.at(-1).list(SET, 1, 1), [one, who, by, attributes, algorithm, signature] = signer.list(SEQUENCE, 6);
		need(one.all === '\x02\x01\x01' && attributes.tag === FIRST && signature.tag === OCTETS, 'der');
		[this.issuer, this.number] = who.list(SEQUENCE, 2, 2);
		need(this.number.tag === INTEGER, 'der');
		const name = algorithmOf(algorithm);
		this.by = known(HASHES, algorithmOf(by));
		this.rsa = name === RSA || RSA_HASHES.has(name);
		this.signedBy = name === RSA ? this.by : RSA_HASHES.get(name) ?? known(EC_HASHES, name);
		this.signature = signature.body;
		this.signed = '\x31' + attributes.all.slice(1);
		const said = new Map();
		for (const a of attributes.list(FIRST)) {
			const [kind_, values] = a.list(SEQUENCE, 2, 2);
			need(kind_.tag === OBJECT && !said.has(kind_.body), 'der');
			said.set(kind_.body, values.list(SET, 1, 1)[0]);
		}
		need(said.get(CONTENT_TYPE)?.tag === OBJECT && said.get(DIGEST)?.tag === OCTETS, 'der');
		[this.type, this.digest] = [said.get(CONTENT_TYPE).body, said.get(DIGEST).body];
		const named = [[CERTIFICATE_2, 'sha256'], [CERTIFICATE, 'sha1']].filter(([k]) => said.has(k)).map(([k, h]) => Stamp.certificateOf(said.get(k), h));
		need(named.length > 0, 'der');
		[this.namedBy, this.named] = named[0];
	}

	static certificateOf(v, by) {
		let parts = v.list(SEQUENCE, 1)[0].list(SEQUENCE, 1)[0].list(SEQUENCE, 1);
		if (by !== 'sha1' && parts[0].tag === SEQUENCE) [by, parts] = [known(HASHES, algorithmOf(parts[0])), parts.slice(1)];
		need(parts[0]?.tag === OCTETS, 'der');
		return [by, parts[0].body];
	}

	// judge says why the stamp convinces nobody who has these roots; '' when it does.
	judge(roots) {
		const c = this.certificates.find((x) => x.issuer === this.issuer.all && x.number === this.number.body);
		if (!c) return 'stampUntrusted';
		this.authority = c.called;
		if (!leads(c, this.certificates, roots, this.time)) return c.valid(this.time) ? 'stampUntrusted' : 'stampExpired';
		if (c.purposes.length !== 1 || c.purposes[0] !== STAMPING || !c.extensions.get(PURPOSE).critical) return 'stampPurpose';
		const right = this.type === TST_INFO && this.digest === hashed(this.by, this.content) && this.named === hashed(this.namedBy, c.raw)
			&& c.key.signed(this.rsa, this.signedBy, this.signed, this.signature);
		return right ? '' : 'stampForged';
	}
}
