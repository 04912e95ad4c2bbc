// What people who are not the shop have signed below its checkpoints (section 17 of FORMAT.md):
// time stamps of authorities, and cosignatures of witnesses.

// readWishes reads what is wanted of strangers: keys of witnesses and a quorum, roots of
// authorities (PEM), ages in seconds.
function readWishes({ witnesses = [], quorum = 0, roots = [], maxAge = 0, stampedWithin = 0, now } = {}) {
	const keys = witnesses.map((text) => publicKey(text, '\x04'));
	return {
		witnesses: keys, names: [...new Set(keys.map((k) => k.name))], quorum: quorum || new Set(keys.map((k) => k.name)).size,
		roots: roots.length ? roots.flatMap(rootsOf) : null, maxAge: BigInt(maxAge) * 1_000_000n, within: BigInt(stampedWithin) * 1_000_000n,
		now: now ? instant(now, NOTE_TIME) : BigInt(Date.now()) * 1000n,
	};
}

class Strangers {
	constructor(wishes, wrong, origin) {
		Object.assign(this, { wishes, wrong, origin, said: [], forks: [], weak: [], entries: [], to: 0, vouches: [], present: 0, unasked: 0 });
	}

	// compared takes a checkpoint that was compared with the file, and whether it is of its past.
	compared(c, same) {
		for (const l of c.lines) {
			if (l.hash !== stampHash(l.name)) this.cosignature(c, l, same);
			else if (same) this.stamp(c, l);
		}
	}

	vouch(c, kind, name, at, authority) {
		if (at < c.time - TEN_MINUTES) this.wrong('datedAhead', { name });
		else this.said.push({ kind, name, authority, size: c.size, at });
	}

	stamp(c, { name, bytes }) {
		let s;
		try {
			s = new Stamp(bytes);
		} catch (e) {
			if (!(e instanceof Refused)) throw e;
			this.weak.push(['stamp', 'stampUnreadable', name]);
			return;
		}
		if (s.imprint !== sha256(encode(c.text))) {
			this.wrong('stampOther', { name });
			return;
		}
		if (!this.wishes.roots) {
			this.unasked++;
			return;
		}
		const why = s.judge(this.wishes.roots);
		if (!why) this.vouch(c, 'stamp', name, s.time, s.authority);
		else if (why === 'stampForged') this.wrong('stampForged', { name });
		else this.weak.push(['stamp', why, name]);
	}

	cosignature(c, { name, hash, bytes }, same) {
		const named = this.wishes.witnesses.filter((w) => w.name === name), key = named.find((w) => w.number === hash);
		if (!key) {
			if (!same || name === trailOf(c.origin)) return;
			if (named.length) this.weak.push(['witness', 'witnessKey', name]);
			else this.unasked++;
			return;
		}
		const seconds = bytes.length === 72 ? BigInt('0x' + hex(bytes.slice(0, 8))) : -1n;
		const right = seconds >= 0n && seconds <= 253402300799n && signedBy(key, `cosignature/v1\ntime ${seconds}\n` + encode(c.text), bytes.slice(8));
		if (!same) {
			if (right && c.origin === this.origin) this.forks.push({ name, size: c.size });
		} else if (right) {
			this.vouch(c, 'witness', name, seconds * 1_000_000n);
		} else {
			this.wrong('cosignatureWrong', { name });
		}
	}

	// end concludes: only checkpoints of more than least entries vouch for the file.
	end(least) {
		const w = this.wishes, latest = (list) => list.reduce((a, b) => (b > a ? b : a), 0n);
		const cosigned = this.said.filter((v) => v.kind === 'witness');
		for (const f of this.forks) if (cosigned.some((v) => v.name === f.name && v.size >= f.size)) this.wrong('witnessForked', { name: f.name });
		const said = this.said.filter((v) => v.size > least), stamps = said.filter((v) => v.kind === 'stamp'), since = [];
		this.to = Math.max(0, ...stamps.map((v) => v.size));
		for (const size of new Set(said.map((v) => v.size))) {
			const by = said.filter((v) => v.kind === 'witness' && v.size === size);
			const times = [...new Set(by.map((v) => v.name))].map((name) => latest(by.filter((v) => v.name === name).map((v) => v.at)));
			this.present = Math.max(this.present, times.length);
			if (!w.quorum || times.length < w.quorum) continue;
			since.push(times.sort((a, b) => (a < b ? 1 : -1))[w.quorum - 1]);
			this.to = Math.max(this.to, size);
		}
		const lacksStamp = Boolean(w.roots) && !stamps.length, lacksQuorum = w.witnesses.length > 0 && !since.length;
		if (lacksStamp) this.wrong('noStamp', { state: UNDECIDED });
		if (lacksQuorum) this.wrong('noQuorum', { state: UNDECIDED, args: { Count: this.present, Quorum: w.quorum } });
		for (const [kind, why, name] of this.weak) if (kind === 'stamp' ? lacksStamp : lacksQuorum) this.wrong(why, { state: UNDECIDED, name });
		const newest = latest([...since, ...stamps.map((v) => v.at)]);
		if (w.maxAge && !lacksStamp && !lacksQuorum && (!newest || w.now - newest > w.maxAge)) this.wrong('tooOld', { state: UNDECIDED });
		const late = w.within && this.entries.find((e) => w.now > e.said.at + w.within && !stamps.some((s) => s.size > e.n && s.at <= e.said.at + w.within));
		if (late) this.wrong('stampedLate', { ...late, state: UNDECIDED });
		this.vouches = this.newest(said);
	}

	// newest is for each stranger the word over most entries, and of those the earliest.
	newest(said) {
		const all = new Map();
		for (const v of said) {
			const key = v.kind + ' ' + v.name, was = all.get(key);
			if (!was || v.size > was.size || (v.size === was.size && v.at < was.at)) all.set(key, v);
		}
		return [...all.values()].sort((a, b) => b.size - a.size || (a.at < b.at ? -1 : 1));
	}
}
