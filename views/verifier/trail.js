// What the files of a trail are made of, as FORMAT.md says: JSON, times, keys and checkpoints,
// the tree, entries and the moves of cancellations. verify.js judges whole files with it.

const INTACT = 'intact', ALTERED = 'altered', UNDECIDED = 'undecided';

// JSON: numbers as they are written, objects in their order, no name twice

class Num {
	constructor(text) { this.text = text; }
}

class Reader {
	constructor(text) {
		this.text = text;
		this.at = 0;
		this.open = 0;
		this.plain = true; // no name of the outer object has an escape
	}

	blanks() { while (' \t\r\n'.includes(this.text[this.at] ?? 'x')) this.at++; }

	match(pattern) {
		pattern.lastIndex = this.at;
		const m = pattern.exec(this.text);
		if (m) this.at = pattern.lastIndex;
		return m && m[0];
	}

	value() {
		this.blanks();
		const c = this.text[this.at];
		if (c === '{') return this.object();
		if (c === '[') return this.list();
		if (c === '"') return this.string();
		const word = this.match(/true|false|null/y);
		if (word) return { true: true, false: false, null: null }[word];
		const number = this.match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y);
		need(number, 'json');
		return new Num(number);
	}

	string() {
		const quoted = this.match(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
		need(quoted, 'json');
		const said = JSON.parse(quoted);
		need(!quoted.includes('\\u') || said.isWellFormed?.() !== false && !/[\ud800-\udfff]/u.test(said), 'json');
		return said;
	}

	items(end, item) {
		this.at++;
		need(++this.open <= 100, 'json');
		this.blanks();
		for (let first = true; this.text[this.at] !== end; first = false) {
			if (!first) {
				need(this.text[this.at++] === ',', 'json');
				this.blanks();
			}
			item();
			this.blanks();
			need(this.text[this.at] === ',' || this.text[this.at] === end, 'json');
		}
		this.at++;
		this.open--;
	}

	list() {
		const out = [];
		this.items(']', () => out.push(this.value()));
		return out;
	}

	object() {
		const out = new Map();
		this.items('}', () => {
			const begin = this.at, name = this.string();
			if (this.open === 1 && this.text.slice(begin + 1, this.at - 1) !== name) this.plain = false;
			need(!out.has(name), 'json');
			this.blanks();
			need(this.text[this.at++] === ':', 'json');
			out.set(name, this.value());
		});
		return out;
	}
}

// readObject reads an object from its bytes. names: the outer ones are written without escapes.
function readObject(bytes, names) {
	const r = new Reader(decode(bytes));
	const o = r.value();
	r.blanks();
	need(o instanceof Map && r.at === r.text.length && (!names || r.plain), 'json');
	return o;
}

const isText = (v) => typeof v === 'string';
function whole(v, least, most) {
	need(v instanceof Num && /^(0|-?[1-9][0-9]{0,18})$/.test(v.text), 'number');
	const n = BigInt(v.text);
	need(n >= least && n <= most, 'number');
	return n;
}

// Times, in microseconds

const ENTRY_TIME = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{6})Z$/;
const NOTE_TIME = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{0,5}[1-9]))?Z$/;
const CLOCK_TIME = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z$/;
const MINUTE = 60_000_000n, TEN_MINUTES = 10n * MINUTE;

function instant(text, form) {
	const m = isText(text) && form.exec(text);
	need(m && +m[1] >= 2000 && +m[4] < 24 && +m[5] < 60 && +m[6] < 60, 'time');
	const ms = Date.UTC(+m[1], m[2] - 1, +m[3], +m[4], +m[5], +m[6]), back = new Date(ms);
	need(back.getUTCMonth() === m[2] - 1 && back.getUTCDate() === +m[3], 'time');
	return BigInt(ms) * 1000n + BigInt((m[7] ?? '').padEnd(6, '0').slice(0, 6));
}

// Keys and checkpoints (section 4)

const isName = (text) => /^[!-*,-~]{1,200}$/.test(text);

function publicKey(text, kind = '\x01') {
	const [name, number, ...rest] = text.trim().split('+');
	need(rest.length > 0, 'key');
	const raw = from64(rest.join('+'), 33);
	need(isName(name) && raw[0] === kind && hex(sha256(name + '\n' + raw).slice(0, 4)) === number, 'key');
	const p = point(raw.slice(1));
	need(p && times(8n, p)[0], 'key'); // eight times a point of small order is (0, 1)
	return { name, number, raw: raw.slice(1), point: p };
}

// trailOf is the trail's name in an origin, which may be of a later beginning.
function trailOf(origin) {
	const m = /^(.+)#([1-9][0-9]{0,3})$/.exec(origin);
	return m && m[2] !== '1' ? m[1] : origin;
}

// openNote reads a signed checkpoint; its state says what its signatures are worth. The note
// is a text, not bytes.
function openNote(note, keys) {
	const cut = note.indexOf('\n\n');
	need(encode(note).length <= 64 << 10 && cut >= 0, 'noCheckpoint');
	const text = note.slice(0, cut + 1), below = note.slice(cut + 2), lines = text.split('\n');
	need(lines.length === 5 && lines[4] === '' && isName(lines[0]) && /^(0|[1-9][0-9]{0,18})$/.test(lines[1]), 'noCheckpoint');
	need(lines[3].startsWith('time ') && BigInt(lines[1]) <= 2n ** 48n, 'noCheckpoint');
	const c = { origin: lines[0], size: Number(lines[1]), root: from64(lines[2], 32), time: instant(lines[3].slice(5), NOTE_TIME), state: INTACT };
	[c.said, c.text, c.lines] = [lines[3].slice(5), text, []];
	need(below.endsWith('\n'), 'noCheckpoint');
	const own = [];
	const signatures = below.slice(0, -1).split('\n');
	for (const line of signatures) {
		const parts = line.split(' ');
		need(parts.length === 3 && parts[0] === '—' && isName(parts[1]), 'noCheckpoint');
		const raw = from64(parts[2]);
		need(raw.length >= 5, 'noCheckpoint');
		c.lines.push({ name: parts[1], hash: hex(raw.slice(0, 4)), bytes: raw.slice(4) });
		for (const key of keys) if (key.name === parts[1] && key.number === hex(raw.slice(0, 4))) own.push([key, raw.slice(4)]);
	}
	need(signatures.length <= 100, 'noCheckpoint');
	if (!own.every(([key, signature]) => signedBy(key, encode(text), signature))) [c.state, c.why] = [ALTERED, 'badSignature'];
	else if (!own.length) [c.state, c.why] = [UNDECIDED, keys.some((k) => k.name === trailOf(c.origin)) ? 'otherKey' : 'otherTrail'];
	else if (own.at(-1)[0].name !== trailOf(c.origin)) [c.state, c.why] = [UNDECIDED, 'otherTrail'];
	return c;
}

function notesOf(text) {
	const parts = text.replaceAll('\r\n', '\n').split('\n\n'), out = [];
	for (let i = 1; i < parts.length; i++) {
		if (parts[i].startsWith('— ')) out.push(parts[i - 1].replace(/^\n+/, '') + '\n\n' + parts[i].replace(/\n+$/, '') + '\n');
	}
	return out;
}

// The tree (section 3)

const node = (left, right) => sha256('\x01' + left + right);
const leaf = (id, era, txid, canonical) => sha256(`\0veinte-entry/1 ${id} ${era} ${txid}\n` + canonical);

function push(stack, level, h) {
	while (stack.length && stack.at(-1)[0] === level) {
		h = node(stack.pop()[1], h);
		level++;
	}
	stack.push([level, h]);
}

function rootOf(stack) {
	let h = stack.length ? stack.at(-1)[1] : sha256('');
	for (let i = stack.length - 2; i >= 0; i--) h = node(stack[i][1], h);
	return h;
}

// Sizes are below 2^48: numbers hold them, and bits of them do not.
const half = (n) => Math.floor(n / 2), odd = (n) => n % 2 === 1;

function included(h, n, size, proof) {
	let last = size - 1;
	for (const p of proof) {
		if (last === 0) return null;
		if (odd(n) || n === last) {
			h = node(p, h);
			while (!odd(n) && n) [n, last] = [half(n), half(last)];
		} else {
			h = node(h, p);
		}
		[n, last] = [half(n), half(last)];
	}
	return last === 0 ? h : null;
}

function consistent(first, firstRoot, second, secondRoot, proof) {
	if (first === second) return !proof.length && firstRoot === secondRoot;
	const path = Number.isInteger(Math.log2(first)) && 2 ** Math.round(Math.log2(first)) === first ? [firstRoot, ...proof] : proof.slice();
	if (!path.length) return false;
	let n = first - 1, last = second - 1;
	while (odd(n)) [n, last] = [half(n), half(last)];
	let a = path[0], b = path[0];
	for (const p of path.slice(1)) {
		if (last === 0) return false;
		if (odd(n) || n === last) {
			[a, b] = [node(p, a), node(p, b)];
			while (!odd(n) && n) [n, last] = [half(n), half(last)];
		} else {
			b = node(b, p);
		}
		[n, last] = [half(n), half(last)];
	}
	return last === 0 && a === firstRoot && b === secondRoot;
}

const MOST = 2n ** 48n;
function readConsistency(c) {
	need(c instanceof Map && c.size === 3 && ['from', 'to', 'proof'].every((k) => c.has(k)) && Array.isArray(c.get('proof')), 'noConsistency');
	const from = whole(c.get('from'), 1n, MOST), to = whole(c.get('to'), from, MOST);
	return { from: Number(from), to: Number(to), proof: c.get('proof').map((h) => (need(isText(h), 'noConsistency'), from64(h, 32))) };
}

// Entries (section 2)

const filled = (v) => need(isText(v) && v !== '', 'field');
const pattern = (p) => (v) => need(isText(v) && p.test(v), 'field');
const number = (bits) => (v) => whole(v, -(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n);
const attributes = (v) => need(v === null || v instanceof Map, 'field');
const FIELDS = {
	v: (v) => whole(v, 1n, 2n), nonce: pattern(/^[A-Za-z0-9_-]{21}[AQgw]$/), at: (v) => instant(v, ENTRY_TIME), actorId: number(64n),
	actor: filled, role: (v) => need(isText(v), 'field'), onBehalfOf: filled, action: pattern(/^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/),
	outcome: pattern(/^(success|failure|denied|unknown)$/), storeId: number(64n), store: filled, serialNumber: filled,
	saleId: number(64n), orderId: filled, cancellationId: number(64n), attempt: number(32n), amountCentavos: number(64n),
	before: attributes, after: attributes, reason: filled, address: filled, userAgent: filled, requestId: filled,
};

function canonical(bytes) {
	const e = readObject(bytes, true);
	const names = [...e.keys()], known = Object.keys(FIELDS).filter((f) => e.has(f));
	need(bytes[0] === '{' && e.has('v') && names.length === known.length && names.every((f, i) => f === known[i]), 'field');
	for (const [name, value] of e) FIELDS[name](value);
	need(['at', 'actor', 'role', 'action', 'outcome'].every((f) => e.has(f)), 'field');
	need(e.has('nonce') === (e.get('v').text === '2'), 'field');
	return { fields: e, at: instant(e.get('at'), ENTRY_TIME) };
}

// The moves of a cancellation (section 10)

function stateOf(o) {
	const state = o instanceof Map ? o.get('state') : '', n = o instanceof Map ? o.get('sequence') : 0;
	const numbered = n instanceof Num && /^[1-9][0-9]{0,9}$/.test(n.text) && Number(n.text) < 2 ** 31;
	return [isText(state) ? state : '', numbered ? Number(n.text) : 0];
}

// move says whether a move does not follow the last one of its cancellation.
function move(last, said, gaps) {
	const e = said.fields, c = BigInt(e.get('cancellationId')?.text ?? 0);
	if (!['cancellation.requested', 'cancellation.moved'].includes(e.get('action')) || c <= 0n) return false;
	const [before] = stateOf(e.get('before')), [after, given] = stateOf(e.get('after')), at = said.at;
	const known = last.has(c), was = last.get(c) ?? { number: 0, state: '', at, gaps: 0 }, unbroken = was.gaps === gaps;
	if (known && was.state === 'confirmed') return Boolean(was.number || given);
	let n = given, wrong = false;
	if (n === 0) {
		wrong = Boolean(was.number) && unbroken && before !== was.state;
		n = was.number && unbroken ? was.number + 1 : 0;
	} else if (!known && unbroken && n > 1) wrong = true;
	else if (n === 1 && (known || before)) wrong = true;
	else if (was.number && (n <= was.number || (unbroken && n !== was.number + 1))) wrong = true;
	else if (was.number && n === was.number + 1 && before !== was.state) wrong = true;
	else if (was.number && at < was.at) wrong = true;
	last.set(c, { number: n, state: after, at, gaps });
	return wrong;
}
