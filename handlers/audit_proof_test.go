package handlers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
)

// sealAll seals every entry that there is.
func (h *house) sealAll() {
	h.tb.Helper()
	private, _, err := trailfile.GenerateKey("house.example/trail")
	h.must(err)
	keys, err := trailfile.ParseKeys(private)
	h.must(err)
	seals := sealing.New(sealing.Config{DB: h.DB, Clock: h.Clock, Signers: keys.Signers()})
	until := time.Now().Add(time.Minute)
	for entries := h.count(`SELECT count(*) FROM audit_entries`); h.count(`SELECT coalesce(max(size), 0) FROM checkpoints`) < entries; {
		_, err := seals.Seal(h.tb.Context())
		h.must(err)
		if time.Now().After(until) {
			h.tb.Fatal("the entries are not sealed in a minute")
		}
	}
}

// TestTheProofOfAnEntryIsRecomputed: the page of an entry says what its seal is
// worth after somebody with every right on the database has been there.
func TestTheProofOfAnEntryIsRecomputed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	sale, _ := h.StateOf(models.Confirmed)
	id := h.entryOf(sale.ID)
	h.sealAll()
	path := fmt.Sprintf("/audit/%d", id)
	shows := func(state string) *answer {
		t.Helper()
		page := v.get(path).want(200)
		if got := page.attrs("proof", "data-proof"); len(got) != 1 || got[0] != state {
			t.Errorf("proof = %v, want %s", got, state)
		}
		return page
	}
	page := shows("holds")
	page.says("La entrada está como se selló")
	if got := page.byTestID("proof-from"); len(got) != 1 {
		t.Errorf("the page asks %d times for the checkpoint that somebody kept, want once", len(got))
	}
	if proof := v.get(path + "/proof?from=1").want(200).body; !strings.Contains(proof, `"consistency":[{"from":1,`) {
		t.Errorf("the proof does not continue a checkpoint of one entry: %s", proof)
	}
	v.get(path + "/proof?from=0").want(422)
	h.unguarded()

	h.exec(`UPDATE audit_entries SET amount = 1, actor_name = 'Nadie' WHERE id = $1`, id)
	shows("altered").saysAll(
		"Lo que muestra esta página ya no es lo que se selló", "esta entrada no es la que se selló", "persona, monto", "Qué hacer",
		"actor_name, amount",
	)
	list := v.get("/audit").want(200)
	list.saysAll("La bitácora fue alterada", "Qué hacer", fmt.Sprintf("Entrada %d", id))
	if got := list.byTestID("altered"); len(got) != 2 {
		t.Errorf("the list has %d marks of what was altered, want the step's and that of its line", len(got))
	}

	h.exec(`UPDATE audit_entries SET canonical = canonical || '\x20' WHERE id = $1`, id)
	shows("broken").says("La entrada ya no es la que se selló")

	h.exec(`UPDATE audit_entries SET at = at - interval '1 day' WHERE id = $1`, id)
	shows("broken").says("La entrada ya no es la que se selló")

	// It is taken out: whoever sees every store learns that it was there.
	h.exec(`DELETE FROM audit_entries WHERE id = $1`, id)
	v.get(path).want(410).saysAll("Esta entrada falta", "Nada dice que su mes se haya archivado")
	v.get(path + "/proof").want(410).says("Esta entrada falta")
	// The trail records that its month was archived: the page shows that, and the
	// file.
	h.exec(`INSERT INTO audit_entries (at, actor_name, actor_role, on_behalf_of, action, outcome, after, canonical)
		SELECT now(), 'command line', 'system', 'raquel', 'audit.archived', 'success', jsonb_build_object('month',
		to_char(at AT TIME ZONE 'UTC', 'YYYY-MM'), 'from', 0, 'to', n + 1, 'sha256', 'c0ffee'), '{}'
		FROM sealed_entries WHERE entry_id = $1`, id)
	v.get(path).want(410).saysAll("Esta entrada está archivada", "raquel", "c0ffee", "veinte audit verify --file")
	v.get(path + "/proof").want(410).says("c0ffee")
	h.as(h.user("Saul", models.Supervisor, h.Store)).get(path).want(404)
}

// TestAnAlteredEntrySaysWhatWasSealed, and what stands there now, at the top of its page and
// in the reader's language, wherever anything in the database still says it.
func TestAnAlteredEntrySaysWhatWasSealed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	abroad := h.english(h.user("Sam", models.Supervisor))
	h.Request(h.Sale(125000))
	h.sealAll()
	h.unguarded()
	id := h.count(`SELECT max(id) FROM audit_entries WHERE action = 'cancellation.requested'`)
	path := fmt.Sprintf("/audit/%d", id)
	const replaced = `UPDATE audit_entries SET canonical = convert_to(replace(convert_from(canonical, 'UTF8'), $2, $3), 'UTF8') WHERE id = $1`
	for _, tt := range []struct {
		fact, do string
		args     []any
		state    string
		rows     [][3]string // field, sealed, now
		also     string
		english  string
	}{
		{
			"an amount", `UPDATE audit_entries SET amount = 1 WHERE id = $1`, nil, "altered",
			[][3]string{{"monto", "$1,250.00", "$0.01"}},
			"no son los que se sellaron (monto)", "Was sealed",
		},
		{
			"a person and a number", `UPDATE audit_entries SET actor_name = 'Nadie', actor_id = 77 WHERE id = $1`, nil, "altered",
			[][3]string{{"persona", "", "Nadie (77)"}},
			"", "Says now",
		},
		{
			"an outcome", `UPDATE audit_entries SET outcome = 'denied' WHERE id = $1`, nil, "altered",
			[][3]string{{"resultado", "Hecho", "Negado"}},
			"", "Denied",
		},
		{
			"what it became", `UPDATE audit_entries SET after = after || '{"state": "confirmed"}' WHERE id = $1`, nil, "altered",
			[][3]string{{"cómo quedó: Estatus", "Solicitada", "Cancelada"}},
			"", "Canceled",
		},
		{
			"a time", `UPDATE audit_entries SET request_id = 'x', order_id = '' WHERE id = $1`, nil, "altered",
			[][3]string{{"número de petición", "", "x"}},
			"", "Says now",
		},
		{
			"the bytes alone", replaced,
			[]any{`"amountCentavos":125000`, `"amountCentavos":1`},
			"broken",
			[][3]string{{"monto", "$1,250.00", "$0.01"}},
			"dan exactamente la huella sellada", "give exactly the hash that was sealed",
		},
		{
			"the bytes, so that they are no entry", replaced,
			[]any{`"v":2`, `"v":`},
			"broken", nil,
			"Lo que se selló ya no está en la base de datos", "no longer in the database",
		},
		{
			"bytes and column alike", `UPDATE audit_entries SET amount = 1, canonical = convert_to(replace(convert_from(canonical, 'UTF8'),
			'"amountCentavos":125000', '"amountCentavos":1'), 'UTF8') WHERE id = $1`, nil, "broken", nil,
			"Huella que se selló", "Hash that was sealed",
		},
	} {
		h.exec(`CREATE TABLE aside AS SELECT * FROM audit_entries WHERE id = $1`, id)
		h.exec(tt.do, append([]any{id}, tt.args...)...)
		page := v.get(path).want(200)
		if got := page.attrs("proof", "data-proof"); len(got) != 1 || got[0] != tt.state {
			t.Errorf("%s: proof = %v, want %s", tt.fact, got, tt.state)
		}
		page.says(tt.also)
		alarm := page.one("alarm")
		for _, row := range tt.rows {
			if said := textOf(alarm); !strings.Contains(said, row[0]) || !strings.Contains(said, row[1]) || !strings.Contains(said, row[2]) {
				t.Errorf("%s: the top lacks %q: %s", tt.fact, row, said)
			}
		}
		if tt.rows == nil && len(page.byTestID("was-sealed")) > 0 {
			t.Errorf("%s: the page claims to know what was sealed", tt.fact)
		}
		abroad.get(path).want(200).says(tt.english)
		h.exec(`DELETE FROM audit_entries WHERE id = $1`, id)
		h.exec(`INSERT INTO audit_entries OVERRIDING SYSTEM VALUE SELECT * FROM aside`)
		h.exec(`DROP TABLE aside`)
		if got := v.get(path).want(200).attrs("proof", "data-proof"); len(got) != 1 || got[0] != "holds" {
			t.Fatalf("%s: after it was put back, proof = %v", tt.fact, got)
		}
	}
}
