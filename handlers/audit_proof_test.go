package handlers_test

import (
	"fmt"
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
	shows("holds").says("La entrada está como se selló")
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
