// Verifies an export of the audit trail, or the proof of one entry, as FORMAT.md says. It
// shares no code with the other two verifiers.

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

function publicKey(text) {
	const [name, number, ...rest] = text.trim().split('+');
	need(rest.length > 0, 'key');
	const raw = from64(rest.join('+'), 33);
	need(isName(name) && raw[0] === '\x01' && hex(sha256(name + '\n' + raw).slice(0, 4)) === number, 'key');
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
	c.said = lines[3].slice(5);
	need(below.endsWith('\n'), 'noCheckpoint');
	const own = [];
	const signatures = below.slice(0, -1).split('\n');
	for (const line of signatures) {
		const parts = line.split(' ');
		need(parts.length === 3 && parts[0] === '—' && isName(parts[1]), 'noCheckpoint');
		const raw = from64(parts[2]);
		need(raw.length >= 5, 'noCheckpoint');
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

// Verification

class Stop extends Error {}

class Verification {
	constructor(keys, kept, proofs) {
		Object.assign(this, { keys, kept, proofs, found: [], compared: 0, others: [], own: null, entries: 0, left: 0 });
	}

	// wrong adds a finding. said is the entry it is about, when its bytes could be read.
	wrong(why, { line = 0, n = -1, id = 0n, state = ALTERED, said = null } = {}) { this.found.push({ why, line, n, id, state, said }); }

	verdict() {
		const rank = { [ALTERED]: 0, [UNDECIDED]: 1 };
		this.found.sort((a, b) => rank[a.state] - rank[b.state] || (a.line || Infinity) - (b.line || Infinity) || 0);
		const first = this.found[0];
		return { state: first?.state ?? INTACT, n: first?.n ?? -1, id: first?.id ?? 0n, verification: this, found: this.found };
	}

	checkpoint(note) {
		try {
			this.own = openNote(note, this.keys);
		} catch (e) {
			this.refused(e, 'noCheckpoint', 1);
		}
		if (this.own.state !== INTACT) this.wrong(this.own.why, { line: 1, state: this.own.state });
	}

	// refused ends the verification of what cannot be read.
	refused(e, why, line = 0) {
		if (!(e instanceof Refused)) throw e;
		this.wrong(why, { line, state: UNDECIDED });
		throw new Stop();
	}

	openKept(comparable) {
		const opened = [];
		for (const note of this.kept) {
			try {
				const c = openNote(note, this.keys);
				need(c.state === INTACT, c.why);
				need(trailOf(c.origin) === trailOf(this.own.origin), 'otherTrail');
				need(c.size > 0 && comparable(c), 'notComparable');
				opened.push(c);
			} catch (e) {
				if (!(e instanceof Refused)) throw e;
				this.others.push('keptNot');
			}
		}
		this.kept = opened.sort((a, b) => a.size - b.size);
	}

	compare(c, same) {
		this.compared++;
		if (!same && c.origin !== this.own.origin) this.wrong('lost', { state: UNDECIDED });
		else if (!same) this.wrong('otherPast');
	}

	byProof(c) {
		const [small, large] = c.size <= this.own.size ? [c, this.own] : [this.own, c];
		if (small.size === large.size) {
			this.compare(c, small.root === large.root);
			return true;
		}
		const p = this.proofs.find((x) => x.from === small.size && x.to === large.size);
		if (p) this.compare(c, consistent(p.from, small.root, p.to, large.root, p.proof));
		return Boolean(p);
	}

	endKept() {
		for (const c of this.kept) {
			if (this.byProof(c)) continue;
			if (c.time > this.own.time) this.others.push('keptNot');
			else this.wrong('cut', { state: UNDECIDED });
		}
		if (!this.compared) for (const why of this.others) this.wrong(why, { state: UNDECIDED });
	}
}

const ENTRY = new RegExp('^\\{"n":(0|[1-9][0-9]*),"id":([1-9][0-9]*),"era":([1-9][0-9]*),"txid":"(0|[1-9][0-9]*)",'
	+ '"entry":"((?:[^"\\\\\\x00-\\x1f]|\\\\["\\\\]|\\\\u00[01][0-9a-f])*)","hash":"([A-Za-z0-9+/]{43}=)"'
	+ '(?:,"differs":\\["([a-z_]+(?:","[a-z_]+)*)"\\])?\\}\\n$');
const GAP = /^\{"gap":\{"from":(0|[1-9][0-9]*),"to":([1-9][0-9]*),"hashes":\["([A-Za-z0-9+/=]{44}(?:","[A-Za-z0-9+/=]{44})*)"\]\}\}\n$/;
const FOOTER = /^\{"entries":(0|[1-9][0-9]*),"amountCentavos":"([^"]*)","sha256":"([^"]*)","end":true\}\n$/;
const LONGEST = 16 << 20, LONGEST_HEADER = 1 << 20;

// Export takes the lines of an export, one at a time, and then end.
class Export extends Verification {
	constructor(...with_) {
		super(...with_);
		Object.assign(this, {
			sha: new SHA256(), stack: [], n: 0, amount: 0n, number: 0, ended: false, last: [0n, 0n, 0n], moves: new Map(), gaps: 0,
			youngest: null, back: [], future: [], nonces: new Map(), head: null,
		});
	}

	line(line) {
		this.number++;
		if (this.number === 1) return this.header(line);
		if (this.ended) {
			this.wrong('behind', { line: this.number });
			throw new Stop();
		}
		if (!line.endsWith('\n') && line.length <= LONGEST) {
			this.wrong('truncated', { line: this.number, state: UNDECIDED });
			throw new Stop();
		}
		try {
			need(line.length <= LONGEST, 'badLine');
			this.read(line);
		} catch (e) {
			if (!(e instanceof Refused)) throw e;
			this.wrong('badLine', { line: this.number, n: this.n < this.own.size ? this.n : -1 });
			throw new Stop();
		}
	}

	header(line) {
		let h;
		try {
			need(line.length <= LONGEST_HEADER && line.endsWith('\n') && !line.endsWith('\r\n'), 'noExport');
			h = readObject(line);
			need(h.get('format') === 'veinte-audit-export/1' && h.get('zone') === 'UTC', 'noExport');
			need(['origin', 'exportedAt', 'checkpoint'].every((k) => isText(h.get(k))) && typeof h.get('complete') === 'boolean', 'noExport');
			const filters = h.get('filters'), keys = h.get('publicKeys');
			need(filters === null || filters instanceof Map, 'noExport');
			need(keys === null || (Array.isArray(keys) && keys.every(isText)), 'noExport');
		} catch (e) {
			this.refused(e, 'noExport', 1);
		}
		this.head = h;
		this.sha.update(bytesOf(line));
		this.checkpoint(h.get('checkpoint'));
		if (h.get('origin') !== this.own.origin) this.wrong('otherOrigin', { line: 1 });
		this.openKept(() => true);
	}

	read(line) {
		const footer = FOOTER.exec(line), entry = ENTRY.exec(line), gap = GAP.exec(line);
		if (footer) return this.footer(footer);
		this.sha.update(bytesOf(line));
		need(entry || gap, 'badLine');
		const pushes = [];
		let first, to, id = 0n, era, txid;
		if (entry) {
			[first, id, era, txid] = entry.slice(1, 5).map(BigInt);
			need(first < MOST && id < 2n ** 63n && era < 2n ** 31n && txid < 2n ** 64n, 'badLine');
			first = Number(first);
			to = first + 1;
			pushes.push([0, from64(entry[6], 32)]);
		} else {
			need(BigInt(gap[1]) < BigInt(gap[2]) && BigInt(gap[2]) <= MOST, 'badLine');
			[first, to] = [Number(gap[1]), Number(gap[2])];
			const hashes = gap[3].split('","');
			let at = first;
			while (at < to && pushes.length < hashes.length) {
				let level = 0;
				while (level < 48 && at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level++;
				pushes.push([level, from64(hashes[pushes.length], 32)]);
				at += 2 ** level;
			}
			need(at === to && pushes.length === hashes.length, 'badLine');
		}
		if (first !== this.n || to > this.own.size) {
			const later = first > this.n;
			this.wrong('order', { line: this.number, n: later ? this.n : first, id: gap || later ? 0n : id });
			throw new Stop();
		}
		if (entry) {
			this.entry(first, id, era, txid, entry[5], pushes[0][1], entry[7]);
		} else {
			if (this.head.get('complete')) this.wrong('notComplete', { line: this.number, n: first });
			this.gap();
		}
		for (const [level, h] of pushes) {
			push(this.stack, level, h);
			this.n += 2 ** level;
			this.reach();
		}
	}

	gap() {
		this.gaps++;
		this.youngest = null;
		[this.back, this.future] = [[], []];
	}

	entry(n, id, era, txid, escaped, listed, differs) {
		this.entries++;
		const raw = escaped.replace(/\\(?:(["\\])|u(....))/gs, (_, sign, code) => sign ?? String.fromCharCode(parseInt(code, 16)));
		let said = null;
		try {
			said = canonical(raw);
		} catch (e) {
			if (!(e instanceof Refused)) throw e;
		}
		const wrong = (why, more) => this.wrong(why, { line: this.number, n, id, said, ...more });
		if (said) {
			const amount = this.amount + BigInt(said.fields.get('amountCentavos')?.text ?? 0);
			if (amount >= -(2n ** 63n) && amount < 2n ** 63n) this.amount = amount;
			else wrong('sum');
		}
		const same = leaf(id, era, txid, raw) === listed;
		if (!same || !said) {
			wrong(same ? 'malformed' : 'changed');
			this.gap();
			return;
		}
		if (differs) wrong('columns', { columns: differs });
		const before = this.last, now = [era, txid, id], i = now.findIndex((x, k) => x !== before[k]);
		if (i >= 0 && now[i] > before[i]) this.last = now;
		else wrong('commitOrder');
		const nonce = said.fields.get('nonce');
		if (nonce !== undefined) {
			if (this.nonces.has(nonce)) this.nonces.get(nonce).push({ line: this.number, n, id, said });
			else this.nonces.set(nonce, []);
		}
		this.time(said, n, id);
		if (move(this.moves, said, this.gaps)) wrong('move');
	}

	time(said, n, id) {
		const { at, fields } = said, where = { line: this.number, n, id, said };
		let clock = null;
		if (fields.get('action') === 'clock.jumped' && fields.get('before') instanceof Map) {
			try {
				clock = instant(fields.get('before').get('clock'), CLOCK_TIME);
			} catch (e) {
				if (!(e instanceof Refused)) throw e;
			}
		}
		if (clock !== null && clock > at && (this.youngest === null || this.youngest <= clock + TEN_MINUTES)) {
			this.back = this.back.filter((b) => b.said.at > at || b.said.at < at - MINUTE);
			this.future = this.future.filter((f) => f.said.at > clock + TEN_MINUTES);
			this.youngest = null;
		}
		if (at > this.own.time + TEN_MINUTES) this.future.push(where);
		if (this.youngest !== null && at < this.youngest - TEN_MINUTES) this.back.push(where);
		else if (this.youngest === null || at > this.youngest) this.youngest = at;
	}

	reach() {
		while (this.kept.length && this.kept[0].size <= this.n) {
			const c = this.kept.shift();
			if (c.size === this.n) this.compare(c, c.root === rootOf(this.stack));
			else if (!this.byProof(c)) this.others.push('keptNot');
		}
	}

	footer(f) {
		this.ended = true;
		need(BigInt(f[1]) < 2n ** 63n, 'badLine');
		if (BigInt(f[1]) !== BigInt(this.entries) || f[2] !== String(this.amount) || f[3] !== hex(this.sha.digest())) {
			this.wrong('footer', { line: this.number });
		}
	}

	end() {
		if (this.ended) {
			for (const b of this.back) this.wrong('backDated', b);
			for (const f of this.future) this.wrong('futureDated', f);
		}
		for (const copies of this.nonces.values()) for (const c of copies) this.wrong('copy', c);
		if (this.n === this.own.size) this.endKept();
		this.left = this.n - this.entries;
		const filters = this.head.get('filters');
		if (!this.ended) this.wrong('truncated', { line: this.number + 1, state: UNDECIDED });
		else if (this.n !== this.own.size) this.wrong('short');
		else if (rootOf(this.stack) !== this.own.root) this.wrong('root');
		else if (!(filters?.size) && (this.left || !this.head.get('complete'))) this.wrong('unexplained', { state: UNDECIDED });
	}
}

// Proof takes a whole file.
class Proof extends Verification {
	run(bytes) {
		const members = ['format', 'n', 'id', 'era', 'txid', 'entry', 'proof', 'checkpoint'];
		let p, n, id, era, txid, proof;
		try {
			need(bytes.length <= 32 << 20, 'noProof');
			p = readObject(bytes);
			const names = [...p.keys()].filter((k) => k !== 'consistency');
			need(names.length === members.length && members.every((k) => p.has(k)) && p.get('format') === 'veinte-audit-proof/1', 'noProof');
			n = Number(whole(p.get('n'), 0n, MOST - 1n));
			id = whole(p.get('id'), 1n, 2n ** 63n - 1n);
			era = whole(p.get('era'), 1n, 2n ** 31n - 1n);
			pattern(/^(0|[1-9][0-9]{0,19})$/)(p.get('txid'));
			txid = BigInt(p.get('txid'));
			need(isText(p.get('entry')) && isText(p.get('checkpoint')) && txid < 2n ** 64n, 'noProof');
			const more = p.has('consistency') ? p.get('consistency') : [];
			need(Array.isArray(p.get('proof')) && Array.isArray(more), 'noProof');
			proof = p.get('proof').map((h) => (need(isText(h), 'noProof'), from64(h, 32)));
			this.proofs = [...more.map(readConsistency), ...this.proofs];
		} catch (e) {
			this.refused(e, 'noProof');
		}
		this.checkpoint(p.get('checkpoint'));
		this.entries = 1;
		this.left = this.own.size - 1;
		const raw = encode(p.get('entry')), where = { n, id, said: null };
		try {
			where.said = canonical(raw);
		} catch (e) {
			if (!(e instanceof Refused)) throw e;
		}
		this.shown = { ...where, hash: leaf(id, era, txid, raw) };
		if (n >= this.own.size || included(this.shown.hash, n, this.own.size, proof) !== this.own.root) this.wrong('notThere', where);
		else if (!where.said) this.wrong('malformed', where);
		else if (where.said.at > this.own.time + TEN_MINUTES) this.wrong('futureDated', where);
		const own = this.own.size;
		this.openKept((c) => c.size === own || this.proofs.some((x) => x.from === Math.min(c.size, own) && x.to === Math.max(c.size, own)));
		this.endKept();
	}
}

// linesOf cuts the parts of a file into its lines. One that is too long comes in pieces.
async function* linesOf(parts) {
	let rest = '';
	for await (const part of parts) {
		rest += textOf(part);
		let at = 0;
		for (let end; (end = rest.indexOf('\n', at)) >= 0; at = end + 1) yield rest.slice(at, end + 1);
		rest = rest.slice(at);
		if (rest.length > LONGEST) {
			yield rest;
			return;
		}
	}
	if (rest) yield rest;
}

// verify returns the verdict on a file: its parts (bytes), the keys that are trusted, and the
// texts of further files, which hold checkpoints that were kept or proofs of consistency.
async function verify(parts, keyTexts, others, onLine = async () => {}) {
	const fails = (why) => ({ state: UNDECIDED, n: -1, id: 0n, found: [{ why, state: UNDECIDED, n: -1, line: 0 }], verification: null });
	let keys;
	const kept = [], proofs = [];
	try {
		keys = keyTexts.map(publicKey);
		need(keys.length > 0, 'key');
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		return fails('key');
	}
	try {
		for (const other of others) {
			if (other.trimStart().startsWith('{')) {
				proofs.push(readConsistency(readObject(encode(other))));
				continue;
			}
			const notes = notesOf(other);
			need(notes.length > 0, 'keptNone');
			kept.push(...notes);
		}
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		return fails('keptNone');
	}
	const begins = [];
	let v = null, read = 0;
	// choose knows by the first bytes of a file what it is; until then its lines wait.
	const choose = () => {
		v = begins.join('').slice(0, 1 << 10).includes('"veinte-audit-proof/1"') ? new Proof(keys, kept, proofs) : new Export(keys, kept, proofs);
		if (v instanceof Export) for (const line of begins) v.line(line);
	};
	try {
		for await (const line of linesOf(parts)) {
			if (v instanceof Export) {
				v.line(line);
				await onLine(v);
				continue;
			}
			begins.push(line);
			read += line.length;
			if (!v && read >= 1 << 10) choose();
		}
		if (!v) choose();
		if (v instanceof Proof) v.run(begins.join(''));
		else if (v.number === 0) v.line('');
		else v.end();
	} catch (e) {
		if (!(e instanceof Stop)) throw e;
	}
	return v.verdict();
}
