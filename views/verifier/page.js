// The page around verify.js: what is given, and the verdict in the reader's language.
// inWords has the words of each language by their keys.
const page = (id) => document.getElementById(id);
const ZONE = 'America/Mexico_City';
let language = navigator.language.startsWith('es') ? 'es-MX' : 'en';
let shown = null; // the last verdict, to be written anew in another language

// say returns the words for a key, with their places filled in.
function say(key, args = {}) {
	const words = inWords[language][key] ?? inWords['es-MX'][key];
	return words && words.replace(/\$(\w+)/g, (_, name) => args[name] ?? '');
}

function speak() {
	document.documentElement.lang = language;
	document.title = say('verifier.title');
	for (const e of document.querySelectorAll('[data-say]')) e.textContent = say(e.dataset.say);
	const button = page('language');
	button.textContent = say('verifier.otherLanguage');
	button.lang = language === 'en' ? 'es' : 'en';
	if (shown) show(...shown);
}

function make(tag, text, ...inside) {
	const e = document.createElement(tag);
	if (text) e.textContent = text;
	e.append(...inside);
	return e;
}

function facts(rows) {
	const list = make('dl');
	for (const [name, value, code] of rows) {
		if (value === '' || value === undefined || value === null) continue;
		list.append(make('dt', name), make('dd', '', code ? make('code', value) : value));
	}
	return list;
}

const count = (n) => Number(n).toLocaleString(language);

function when(micro) {
	const at = new Date(Number(micro / 1000n));
	const local = at.toLocaleString(language, { timeZone: ZONE, dateStyle: 'long', timeStyle: 'medium', hourCycle: 'h23' });
	return say('verifier.when', { Local: local, UTC: at.toISOString().replace(/\.\d+Z$/, 'Z') });
}

function pesos(centavos) {
	const n = BigInt(centavos), whole = (n < 0n ? -n : n);
	return `${n < 0n ? '-' : ''}$${(whole / 100n).toLocaleString('en')}.${String(whole % 100n).padStart(2, '0')} MXN`;
}

// plain writes a value of JSON as people read it.
function plain(v, name) {
	if (v === null) return '—';
	if (v instanceof Num) return v.text;
	if (typeof v === 'string') return ((name === 'state' || name === 'role') && say(`${name}.${v}`)) || v;
	if (typeof v === 'boolean') return say(v ? 'verifier.yes' : 'verifier.no');
	if (Array.isArray(v)) return v.map((x) => plain(x)).join(', ');
	return [...v].map(([k, x]) => `${say('field.' + k) ?? k}: ${plain(x, k)}`).join('; ');
}

// entryRows are an entry in words.
function entryRows(said) {
	const e = said.fields, text = (name) => e.get(name) ?? '';
	const before = e.get('before') ?? new Map(), after = e.get('after') ?? new Map();
	const changes = [...new Set([...before.keys(), ...after.keys()])].map((name) => {
		const was = before.has(name) && plain(before.get(name), name), is = after.has(name) && plain(after.get(name), name);
		return [say('field.' + name) ?? name, was && is ? `${was} → ${is}` : is || say('verifier.before', { Value: was })];
	});
	return [
		[say('verifier.action'), say('action.' + text('action')) ?? text('action')],
		[say('verifier.outcome'), say('outcome.' + text('outcome'))],
		[say('verifier.at'), when(said.at)],
		[say('verifier.actor'), `${text('actor')} (${say('role.' + text('role')) ?? text('role')})`],
		[say('verifier.onBehalfOf'), text('onBehalfOf')],
		[say('verifier.store'), text('store')],
		[say('verifier.terminal'), text('serialNumber')],
		[say('verifier.order'), text('orderId')],
		[say('verifier.amount'), e.has('amountCentavos') ? pesos(e.get('amountCentavos').text) : ''],
		[say('verifier.cancellation'), e.get('cancellationId')?.text],
		[say('verifier.attempt'), e.get('attempt')?.text],
		...changes,
		[say('verifier.reason'), text('reason')],
		[say('verifier.address'), text('address')],
	];
}

function checkpointRows(own) {
	return [
		[say('verifier.origin'), own.origin], [say('verifier.size'), count(own.size)], [say('verifier.signed'), when(own.time)],
		[say('verifier.root'), btoa(own.root), true],
	];
}

// strangerLines say who else has signed, and up to where.
function strangerLines(run) {
	const s = run?.strangers;
	if (!s || (!s.vouches.length && !s.unasked)) return [];
	const list = make('ul'), names = s.wishes.names.length;
	if (names) list.append(make('li', say('verifier.witnessesSigned', { Count: count(s.present), Quorum: count(names) })));
	for (const v of s.vouches) {
		const args = { Name: v.authority ? `${v.authority} (${v.name})` : v.name, When: when(v.at), Count: count(v.size) };
		if (run.shown) list.append(make('li', v.kind === 'stamp' ? say('verifier.stampOfThis', args) : say('verifier.witnessOfThis', args)));
		else list.append(make('li', v.kind === 'stamp' ? say('verifier.stampOf', args) : say('verifier.witnessOf', args)));
	}
	if (s.to && s.to < run.own.size && !run.shown) list.append(make('li', say('verifier.notVouched', { N: count(s.to) })));
	if (s.unasked) list.append(make('li', say('verifier.unasked', { Count: count(s.unasked) })));
	return [make('h3', say('verifier.others')), list];
}

function findings(v) {
	if (!v.found.length) return [];
	const list = make('ul');
	for (const f of v.found.slice(0, 50)) {
		let text = say('verifier.found.' + f.why, f.args);
		if (f.name) text = `${f.name}: ${text}`;
		if (f.n >= 0) text = say(f.line ? 'verifier.ofEntry' : 'verifier.ofOnlyEntry', { N: count(f.n), ID: f.id > 0n ? String(f.id) : '—', Line: count(f.line), Text: text });
		list.append(make('li', text));
	}
	const out = [make('h3', say('verifier.findings')), list];
	if (v.found.length > 50) out.push(make('p', say('verifier.more', { Count: count(v.found.length - 50) })));
	const first = v.found.find((f) => f.said);
	if (first && !v.verification.shown) {
		out.push(make('h3', say('verifier.firstBad')), make('p', say('verifier.firstBadSays')), facts(entryRows(first.said)));
	}
	return out;
}

// scope says what the verdict does not reach, in plain words.
function scope(v) {
	const run = v.verification;
	if (!run?.own || v.state === ALTERED) return '';
	const out = [];
	if (run.shown) out.push(say('verifier.oneEntry'));
	else if (run.left) out.push(say('verifier.leftOut', { Count: count(run.left) }));
	if (run.compared) out.push(say('verifier.compared', { Count: count(run.compared) }));
	else if (!run.strangers?.to) out.push(say('verifier.notCompared'));
	return out.join(' ');
}

function show(v, file, sha) {
	const run = v.verification, out = page('result'), proof = run?.shown;
	const head = make('div', '', make('h2', say('verifier.' + v.state)), make('p', say(`verifier.${v.state}Says`)), make('p', scope(v)));
	head.className = 'verdict ' + v.state;
	out.replaceChildren();
	if (proof && v.state === INTACT) out.append(make('h1', say('verifier.certificate')));
	out.append(head, ...findings(v));
	if (proof?.said) {
		out.append(make('h3', say('verifier.entry', { N: count(proof.n), ID: String(proof.id) })), facts(entryRows(proof.said)));
	}
	if (v.state !== ALTERED) out.append(...strangerLines(run));
	if (run?.own) {
		const rows = proof ? [] : [[say('verifier.entries'), count(run.entries)], [say('verifier.left'), run.left > 0 ? count(run.left) : '']];
		out.append(make('h3', say('verifier.checkpoint')), facts([...rows, ...checkpointRows(run.own)]));
	}
	out.append(make('h3', say('verifier.given')), facts([
		[say('verifier.fileName'), file.name], ['SHA-256', sha, true],
		[say('verifier.keys'), page('key').value.trim().split(/\s+/).join('\n'), true],
		[say('verifier.witnesses'), page('witnesses').value.trim().split(/\s+/).join('\n'), true],
		[say('verifier.roots'), [...page('roots').files].map((f) => f.name).join(', ')], [say('verifier.done'), when(BigInt(Date.now()) * 1000n)],
	]));
	const print = make('button', say(proof ? 'verifier.printCertificate' : 'verifier.print'));
	print.type = 'button';
	print.addEventListener('click', () => window.print());
	out.append(print);
	out.hidden = false;
	out.dataset.state = v.state;
}

// pieces reads a file in parts, and hashes it on the way.
async function* pieces(file, sha, bar) {
	const reader = file.stream().getReader();
	for (let read = 0, part = await reader.read(); !part.done; part = await reader.read()) {
		sha.update(part.value);
		bar.value = (read += part.value.length) / file.size;
		yield part.value;
	}
}

async function judge() {
	const file = page('file').files[0], keys = page('key').value.trim().split(/\s+/).filter(Boolean), bar = page('progress');
	const missing = !file ? 'file' : !keys.length ? 'key' : '';
	if (missing) {
		page(missing).focus();
		page('result').replaceChildren(make('p', say(`verifier.missing.${missing}`)));
		page('result').hidden = false;
		return;
	}
	page('result').hidden = bar.hidden = true;
	bar.hidden = false;
	const sha = new SHA256();
	try {
		const others = await Promise.all([...page('kept').files].map((f) => f.text()));
		const wished = {
			witnesses: page('witnesses').value.trim().split(/\s+/).filter(Boolean), quorum: Number(page('quorum').value) || 0,
			roots: await Promise.all([...page('roots').files].map((f) => f.text())),
		};
		const parts = pieces(file, sha, bar);
		// The verdict may come before the end of the file; its hash is of all of it.
		const v = await verify({ [Symbol.asyncIterator]: () => ({ next: () => parts.next() }) }, keys, others, undefined, wished);
		while (!(await parts.next()).done);
		shown = [v, file, hex(sha.digest())];
		show(...shown);
	} catch (e) {
		page('result').replaceChildren(make('p', say('verifier.unreadable', { Error: e.message })));
		page('result').hidden = false;
	}
	bar.hidden = true;
	page('result').scrollIntoView({ block: 'nearest' });
}

page('given').addEventListener('submit', (e) => {
	e.preventDefault();
	judge();
});
page('language').addEventListener('click', () => {
	language = language === 'en' ? 'es-MX' : 'en';
	speak();
});
for (const kind of ['dragover', 'dragleave', 'drop']) {
	page('drop').addEventListener(kind, (e) => {
		e.preventDefault();
		page('drop').classList.toggle('over', kind === 'dragover');
		if (kind === 'drop') page('file').files = e.dataTransfer.files;
	});
}
speak();
