// Verifies an export of the audit trail, or the proof of one entry, as FORMAT.md says. It
// shares no code with the other two verifiers.

class Stop extends Error {}

class Verification {
	constructor(keys, kept, proofs, wishes) {
		Object.assign(this, { keys, kept, proofs, wishes, found: [], compared: 0, others: [], own: null, entries: 0, left: 0, brought: [], strangers: null });
	}

	// wrong adds a finding. said is the entry it is about, when its bytes could be read.
	wrong(why, { line = 0, n = -1, id = 0n, state = ALTERED, said = null, name = '', args = {} } = {}) {
		this.found.push({ why, line, n, id, state, said, name, args });
	}

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
		this.strangers = new Strangers(this.wishes, (why, more) => this.wrong(why, more), this.own.origin);
		if (this.own.state !== INTACT) this.wrong(this.own.why, { line: 1, state: this.own.state });
		else this.strangers.compared(this.own, true);
	}

	// refused ends the verification of what cannot be read.
	refused(e, why, line = 0) {
		if (!(e instanceof Refused)) throw e;
		this.wrong(why, { line, state: UNDECIDED });
		throw new Stop();
	}

	openKept(comparable) {
		const opened = [];
		for (const [i, note] of [...this.kept, ...this.brought].entries()) {
			try {
				const c = openNote(note, this.keys);
				c.brought = i >= this.kept.length;
				need(c.state === INTACT, c.why);
				need(trailOf(c.origin) === trailOf(this.own.origin), 'otherTrail');
				need(c.size > 0 && comparable(c), 'notComparable');
				opened.push(c);
			} catch (e) {
				if (!(e instanceof Refused)) throw e;
				if (i < this.kept.length) this.others.push('keptNot');
			}
		}
		this.kept = opened.sort((a, b) => a.size - b.size);
	}

	compare(c, same) {
		if (!c.brought) this.compared++;
		this.strangers.compared(c, same);
		if (!same && c.origin !== this.own.origin) {
			if (!c.brought) this.wrong('lost', { state: UNDECIDED });
		} else if (!same) this.wrong('otherPast');
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
			if (this.byProof(c) || c.brought) continue;
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
			if (h.has('attested')) this.brought = h.get('attested');
			need(Array.isArray(this.brought) && this.brought.every(isText), 'noExport');
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
		if (this.wishes.within) this.strangers.entries.push({ line: this.number, n, id, said });
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
			else if (!this.byProof(c) && !c.brought) this.others.push('keptNot');
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
			const names = [...p.keys()].filter((k) => k !== 'consistency' && k !== 'attested');
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
			if (p.has('attested')) this.brought = p.get('attested');
			need(Array.isArray(this.brought) && this.brought.every(isText), 'noProof');
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
		if (where.said) this.strangers.entries.push(where);
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
// texts of further files, which hold checkpoints that were kept or proofs of consistency; and
// what is wanted of strangers (readWishes).
async function verify(parts, keyTexts, others, onLine = async () => {}, wished = {}) {
	const fails = (why) => ({ state: UNDECIDED, n: -1, id: 0n, found: [{ why, state: UNDECIDED, n: -1, line: 0 }], verification: null });
	let keys, wishes;
	const kept = [], proofs = [];
	try {
		keys = keyTexts.map((text) => publicKey(text));
		need(keys.length > 0, 'key');
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		return fails('key');
	}
	try {
		wishes = readWishes(wished);
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		if (e.message === 'noRoot') return fails('noRoot');
		return fails('witness');
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
		v = begins.join('').slice(0, 1 << 10).includes('"veinte-audit-proof/1"') ? new Proof(keys, kept, proofs, wishes) : new Export(keys, kept, proofs, wishes);
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
	v.strangers?.end(v instanceof Proof ? v.shown.n : 0);
	return v.verdict();
}
