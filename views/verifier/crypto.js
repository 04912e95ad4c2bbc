// Bytes, hashes and signatures, as FORMAT.md needs them: SHA-256, SHA-512 and Ed25519 without
// WebCrypto, which takes signatures that RFC 8032 refuses. Bytes are strings of one character
// each, so that what is no UTF-8 stays what it is.
'use strict';

// Refused is a text that breaks a rule; its message is a key of the words.
class Refused extends Error {}
function need(condition, why) {
	if (!condition) throw new Refused(why);
}

// Bytes and texts

function textOf(bytes) {
	let out = '';
	for (let i = 0; i < bytes.length; i += 8192) out += String.fromCharCode.apply(null, bytes.subarray(i, i + 8192));
	return out;
}

function bytesOf(text) {
	const out = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
	return out;
}

const encode = (text) => textOf(new TextEncoder().encode(text));
// decode reads UTF-8, and refuses what is none.
function decode(bytes) {
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(bytes));
	} catch {
		throw new Refused('notUTF8');
	}
}

const hex = (bytes) => Array.from(bytes, (c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('');

// from64 reads base64 that is written as an encoder writes it.
function from64(text, length) {
	need(/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0, 'base64');
	let raw;
	try {
		raw = atob(text);
	} catch {
		throw new Refused('base64');
	}
	need(btoa(raw) === text && (length === undefined || raw.length === length), 'base64');
	return raw;
}

// Hashes

const primes = [];
for (let n = 2; primes.length < 80; n++) if (primes.every((p) => n % p)) primes.push(n);
// fraction is the first bits of the fraction of a root of a number, as SHA-2 takes its constants.
function fraction(n, root, bits) {
	const want = BigInt(n) << BigInt(bits * root);
	let low = 0n, high = 1n << BigInt(bits + 10);
	while (high - low > 1n) {
		const middle = (low + high) >> 1n;
		if (middle ** BigInt(root) <= want) low = middle;
		else high = middle;
	}
	return low & ((1n << BigInt(bits)) - 1n);
}
const K256 = Uint32Array.from(primes.slice(0, 64), (p) => Number(fraction(p, 3, 32)));
const H256 = Uint32Array.from(primes.slice(0, 8), (p) => Number(fraction(p, 2, 32)));
const K512 = primes.map((p) => fraction(p, 3, 64));
const H512 = primes.slice(0, 8).map((p) => fraction(p, 2, 64));

// SHA256 takes its input in parts.
class SHA256 {
	constructor() {
		this.h = Uint32Array.from(H256);
		this.block = new Uint8Array(64);
		this.w = new Uint32Array(64);
		this.length = 0;
	}

	update(bytes) {
		let used = this.length % 64;
		this.length += bytes.length;
		for (let i = 0; i < bytes.length;) {
			const n = Math.min(64 - used, bytes.length - i);
			this.block.set(bytes.subarray(i, i + n), used);
			i += n;
			used += n;
			if (used === 64) {
				this.compress();
				used = 0;
			}
		}
		return this;
	}

	compress() {
		const { block, w, h } = this;
		for (let i = 0; i < 16; i++) w[i] = (block[4 * i] << 24) | (block[4 * i + 1] << 16) | (block[4 * i + 2] << 8) | block[4 * i + 3];
		for (let i = 16; i < 64; i++) {
			const a = w[i - 15], b = w[i - 2];
			const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
			const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
			w[i] = w[i - 16] + s0 + w[i - 7] + s1;
		}
		let [a, b, c, d, e, f, g, k] = h;
		for (let i = 0; i < 64; i++) {
			const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
			const t1 = (k + s1 + ((e & f) ^ (~e & g)) + K256[i] + w[i]) | 0;
			const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
			const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
			k = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
		}
		h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += k;
	}

	digest() {
		const bits = BigInt(this.length) * 8n;
		const padding = new Uint8Array(((this.length % 64) < 56 ? 56 : 120) - (this.length % 64) + 8);
		padding[0] = 0x80;
		new DataView(padding.buffer).setBigUint64(padding.length - 8, bits);
		this.update(padding);
		const out = new DataView(new ArrayBuffer(32));
		this.h.forEach((x, i) => out.setUint32(4 * i, x));
		return textOf(new Uint8Array(out.buffer));
	}
}
const sha256 = (text) => new SHA256().update(bytesOf(text)).digest();

// sha512 is SHA-384 too, of which it takes the beginning.
function sha512(text, start = H512) {
	const mask = (1n << 64n) - 1n, turned = (x, n) => ((x >> n) | (x << (64n - n))) & mask;
	const bytes = bytesOf(text + '\x80' + '\0'.repeat((((111 - text.length) % 128) + 128) % 128 + 8)
		+ textOf(new Uint8Array(new BigUint64Array([BigInt(text.length) * 8n]).buffer).reverse()));
	const view = new DataView(bytes.buffer), h = start.slice(), w = [];
	for (let at = 0; at < bytes.length; at += 128) {
		for (let i = 0; i < 16; i++) w[i] = view.getBigUint64(at + 8 * i);
		for (let i = 16; i < 80; i++) {
			const s0 = turned(w[i - 15], 1n) ^ turned(w[i - 15], 8n) ^ (w[i - 15] >> 7n);
			const s1 = turned(w[i - 2], 19n) ^ turned(w[i - 2], 61n) ^ (w[i - 2] >> 6n);
			w[i] = (w[i - 16] + s0 + w[i - 7] + s1) & mask;
		}
		let [a, b, c, d, e, f, g, k] = h;
		for (let i = 0; i < 80; i++) {
			const t1 = k + (turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n)) + ((e & f) ^ (~e & mask & g)) + K512[i] + w[i];
			const t2 = (turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
			k = g; g = f; f = e; e = (d + t1) & mask; d = c; c = b; b = a; a = (t1 + t2) & mask;
		}
		[a, b, c, d, e, f, g, k].forEach((x, i) => { h[i] = (h[i] + x) & mask; });
	}
	return h.map((x) => x.toString(16).padStart(16, '0')).join('').replace(/../g, (x) => String.fromCharCode(parseInt(x, 16)));
}

// Ed25519, RFC 8032, strictly

const P = 2n ** 255n - 19n, Q = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (x) => ((x % P) + P) % P;
function power(base, exponent) {
	let out = 1n;
	for (let b = mod(base), e = exponent; e; e >>= 1n, b = b * b % P) if (e & 1n) out = out * b % P;
	return out;
}
const D = mod(-121665n * power(121666n, P - 2n));

function add(a, b) {
	const e = mod((a[1] - a[0]) * (b[1] - b[0])), f = mod((a[1] + a[0]) * (b[1] + b[0]));
	const g = mod(2n * a[3] * b[3] * D), h = mod(2n * a[2] * b[2]);
	return [mod((f - e) * (h - g)), mod((h + g) * (f + e)), mod((h - g) * (h + g)), mod((f - e) * (f + e))];
}

function times(n, p) {
	let q = [0n, 1n, 1n, 0n];
	for (; n; n >>= 1n, p = add(p, p)) if (n & 1n) q = add(q, p);
	return q;
}

const little = (bytes) => BigInt('0x' + hex(Array.from(bytes).reverse().join('')));

// point reads a point in its one encoding; null when it is none.
function point(bytes) {
	const raw = little(bytes), sign = raw >> 255n, y = raw & (2n ** 255n - 1n);
	const x2 = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n));
	let x = power(x2, (P + 3n) / 8n);
	if (mod(x * x - x2)) x = mod(x * power(2n, (P - 1n) / 4n));
	if (y >= P || mod(x * x - x2) || (x === 0n && sign)) return null;
	if ((x & 1n) !== sign) x = P - x;
	return [x, y, 1n, mod(x * y)];
}

const BASE = (() => {
	const y = mod(4n * power(5n, P - 2n)).toString(16).padStart(64, '0');
	return point(y.match(/../g).reverse().map((x) => String.fromCharCode(parseInt(x, 16))).join(''));
})();

function signedBy(key, text, signature) {
	if (signature.length !== 64) return false;
	const r = point(signature.slice(0, 32)), s = little(signature.slice(32));
	if (!r || s >= Q) return false;
	const h = little(sha512(signature.slice(0, 32) + key.raw + text)) % Q;
	const left = times(s, BASE), right = add(r, times(h, key.point));
	return !mod(left[0] * right[2] - right[0] * left[2]) && !mod(left[1] * right[2] - right[1] * left[2]);
}
