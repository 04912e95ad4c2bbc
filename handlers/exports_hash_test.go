package handlers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

// unguarded lets whoever owns the database change the trail.
func (h *house) unguarded() {
	h.exec(`DO $$ DECLARE t regclass; BEGIN
		FOR t IN SELECT tgrelid FROM pg_trigger WHERE NOT tgisinternal AND tgfoid = 'refuse_change'::regproc LOOP
			EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t);
		END LOOP; END $$`)
}

// lastExport is the page of the last export.
func (h *house) lastExport() string {
	return fmt.Sprintf("/audit/exports/%d", h.count(`SELECT max(id) FROM audit_exports`))
}

// TestTheTrailKnowsEveryFile: the SHA-256 of what left is in the entry of an export's end
// and on its page, where a file is compared with it.
func TestTheTrailKnowsEveryFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, manager := h.supervisor(), h.manager()
	h.Request(h.Sale(hereAmount))
	h.sealAll()
	last, p := "", (*answer)(nil)
	for _, tt := range []struct {
		path  string
		under bool // a checkpoint
	}{{"/audit.csv", true}, {"/audit.xlsx?store=1", true}, {"/audit.jsonl", true}, {"/sales.csv", false}, {"/sales.xlsx", false}} {
		body := v.get(tt.path).want(200).body
		sum := sha256.Sum256([]byte(body))
		said := h.text(`SELECT format('%s %s %s %s', after->>'sha256', after->>'bytes', (after ? 'root')::text,
			(after ? 'sealedEntries')::text) FROM audit_entries
			WHERE after->>'exportState' = 'done' ORDER BY id DESC LIMIT 1`)
		if want := fmt.Sprintf("%x %d %[3]t %[3]t", sum, len(body), tt.under); said != want {
			t.Errorf("%s: the trail says %q, want %q", tt.path, said, want)
		}
		page := v.get(h.lastExport()).want(200)
		if got := page.byTestID("export-sha256"); len(got) != 1 {
			t.Errorf("%s: the page shows %d hashes, want the one", tt.path, len(got))
		}
		page.says(hex.EncodeToString(sum[:]))
		v.get(h.lastExport() + "?sha256=" + hex.EncodeToString(sum[:])).want(200).says("Es el mismo archivo.")
		line := strings.ToUpper(hex.EncodeToString(sum[:])) + "%20%20veinte-bitacora.csv"
		v.get(h.lastExport() + "?sha256=" + line).want(200).says("Es el mismo archivo.")
		changed := sha256.Sum256([]byte(strings.Replace(body, "0", "1", 1)))
		v.get(h.lastExport() + "?sha256=" + hex.EncodeToString(changed[:])).want(200).says("No es el archivo que salió en esta exportación.")
		if last != "" { // that of another file
			v.get(h.lastExport() + "?sha256=" + last).want(200).says("No es el archivo que salió en esta exportación.")
		}
		last = hex.EncodeToString(sum[:])
	}
	path := h.lastExport()
	for _, wrong := range []string{"", "abc", last[1:], last + "0", last + "%20" + strings.Repeat("0", 64)} {
		v.get(path + "?sha256=" + wrong).want(422).says("Pega una sola huella")
	}

	// Whoever takes sales sees their own exports, and no other; administrators see all.
	manager.get(path).want(404)
	h.administrator().get(path).want(200).says(last)
	manager.get("/sales.csv").want(200)
	p = manager.get(h.lastExport()).want(200)
	p.hides("/audit/verification", "Lo anota la entrada")

	// What the database says of the file is only what was sealed.
	h.unguarded()
	h.exec(`UPDATE audit_entries SET after = jsonb_set(after, '{sha256}', to_jsonb(repeat('0', 64))) WHERE id =
		(SELECT max(id) FROM audit_entries WHERE after->>'sha256' = $1)`, last)
	p = v.get(path + "?sha256=" + strings.Repeat("0", 64)).want(200)
	p.says("ya no dice lo que se selló")
	p.hides("Es el mismo archivo.")
	h.exec(`DELETE FROM audit_entries WHERE after->>'exportState' = 'done'`)
	p = v.get(path + "?sha256=" + last).want(200)
	p.says("La bitácora no tiene la entrada")
	p.hides("Es el mismo archivo.")
}

// TestABrokenFileHasNoHash: nobody has all of it.
func TestABrokenFileHasNoHash(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	h.exec(`INSERT INTO audit_exports (format, state, actor_id, actor_name, query, filters, started_at, seen_at)
		SELECT 'csv', 'running', id, name, '', '{}', $1, $1 FROM users WHERE name = 'Sara Supervisora'`, h.Clock.Now())
	p := v.get(h.lastExport()).want(200)
	p.says("Todavía se está descargando")
	p.hides("SHA-256")
	h.Clock.Advance(time.Minute)
	v.get("/audit/exports").want(200) // it is swept
	p = v.get(h.lastExport()).want(200)
	p.says("El archivo no salió completo")
	p.hides("SHA-256")
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE after ? 'sha256' AND action = $1`, string(models.ActionAuditExported)); n != 0 {
		t.Errorf("%d entries have the hash of a file that broke off", n)
	}
}

// TestFilesForPeopleNameWhatWasAltered: every row has the hash of its leaf, and one that is
// not as it was written or sealed says so, in the file and on paper.
func TestFilesForPeopleNameWhatWasAltered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	h.Request(h.Sale(hereAmount))
	h.Request(h.Sale(hereAmount + 100))
	h.sealAll()
	leaves := func() map[string]string {
		all := map[string]string{}
		for _, line := range strings.Split(h.text(`SELECT string_agg(entry_id || ' ' || encode(hash, 'base64'), ';')
			FROM sealed_entries`), ";") {
			id, leaf, _ := strings.Cut(line, " ")
			all[id] = leaf
		}
		return all
	}
	whole := readCSV(t, v.get("/audit.csv").want(200).body)
	for _, e := range whole.entries {
		// A + at the front has an apostrophe before it, as every text that a sheet would compute.
		leaf := strings.TrimPrefix(e["leafHash"], "'")
		if sealed := leaves()[e["id"]]; leaf != sealed && sealed != "" || len(leaf) != 44 {
			t.Errorf("entry %s has the leaf hash %q, sealed is %q", e["id"], leaf, sealed)
		}
		if e["check"] != "sealed" && e["check"] != "unsealed" {
			t.Errorf("entry %s was not altered and says %s", e["id"], e["check"])
		}
	}
	if n := len(whole.notes["Lo que esto no prueba"]); n == 0 || whole.notes["De ellas, las que no son como se sellaron"] != "0" {
		t.Errorf("the notes say %q", whole.notes)
	}
	h.unguarded()
	requests := `(SELECT id FROM audit_entries WHERE action = 'cancellation.requested' ORDER BY id LIMIT 1 OFFSET `
	column, bytes := h.count(`SELECT `+requests+`0)`), h.count(`SELECT `+requests+`1)`)
	unsealed := h.count(`SELECT max(id) FROM audit_entries`)
	sealed := leaves()
	for _, tt := range []struct {
		fact, do    string
		id          int
		check, word string
	}{
		{"an amount", `UPDATE audit_entries SET amount = 1 WHERE id = $1`, column, "columns", "ALTERADA: no es lo que se selló (monto)"},
		{"a person", `UPDATE audit_entries SET actor_name = 'Nadie' WHERE id = $1`, column, "columns", "(persona, monto)"},
		{
			"a state afterwards", `UPDATE audit_entries SET after = after || '{"state": "confirmed"}' WHERE id = $1`,
			column, "columns", "cómo quedó",
		},
		{"the bytes alone", `UPDATE audit_entries SET canonical = convert_to(replace(convert_from(canonical, 'UTF8'),
			'"success"', '"failure"'), 'UTF8') WHERE id = $1`, bytes, "bytes", "ALTERADA: la entrada ya no es la que se selló"},
		{"bytes and columns", `UPDATE audit_entries SET outcome = 'failure' WHERE id = $1`, bytes, "bytes", "ya no es la que se selló"},
		{"what is not sealed yet", `UPDATE audit_entries SET address = '10.0.0.1' WHERE id = $1`, unsealed, "columns", "dirección IP"},
	} {
		h.exec(tt.do, tt.id)
		x := readCSV(t, v.get("/audit.csv").want(200).body)
		found := false
		for _, e := range x.entries {
			if e["id"] != fmt.Sprint(tt.id) {
				continue
			}
			found = true
			leaf, said := sealed[e["id"]], strings.TrimPrefix(e["leafHash"], "'")
			if e["check"] != tt.check || !strings.Contains(e["checkWord"], tt.word) || leaf != "" && leaf != said {
				t.Errorf("%s: the row says %s, %q, leaf %s", tt.fact, e["check"], e["checkWord"], e["leafHash"])
			}
		}
		if !found {
			t.Errorf("%s: the file lacks the entry", tt.fact)
		}
		if p := v.get("/audit/print").want(200); !strings.Contains(p.words(), tt.word) {
			t.Errorf("%s: the paper lacks %q", tt.fact, tt.word)
		}
	}
	x := readCSV(t, v.get("/audit.csv").want(200).body)
	if got := x.notes["De ellas, las que no son como se sellaron"]; got != "3" {
		t.Errorf("the file says that %s entries were altered, want 3", got)
	}
	v.get("/audit/print").want(200).says("El papel no prueba nada por sí solo")
	list := v.get("/audit").want(200)
	list.says("entradas de esta página son como se sellaron")
	if got := len(list.byTestID("altered")); got < 2 {
		t.Errorf("the list marks %d altered entries", got)
	}
	// Another leaf under it, and the page has no padlock for it either.
	h.exec(`UPDATE sealed_entries SET hash = sha256('x') WHERE entry_id = (SELECT min(entry_id) FROM sealed_entries)`)
	first := readCSV(t, v.get("/audit.csv").want(200).body).entries[0]
	if first["check"] != "bytes" {
		t.Errorf("an entry under another leaf says %s", first["check"])
	}
}
