package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models/apikeys"
)

const writeEntry = `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, reason, canonical)
	VALUES (now(), 'x', 'system', 'test.done', 'success', $1, '')`

// followTo follows from a cursor until it reads an entry with the reason. Other
// tests' open transactions delay the trail.
func (p *program) followTo(after, reason string) (followed []shapes.AuditEntry, next string) {
	p.tb.Helper()
	for begin := time.Now(); time.Since(begin) < 30*time.Second; {
		page := into[shapes.AuditPage](p.get("/api/v1/audit?limit=1000&after=" + after).want(200))
		followed, after = append(followed, page.Items...), page.After
		for _, e := range page.Items {
			if e.Reason == reason {
				return followed, after
			}
		}
	}
	p.tb.Fatalf("%q was not followed", reason)
	return nil, ""
}

// TestTrailWithoutGaps: a transaction that began first and commits last is not
// jumped over.
func TestTrailWithoutGaps(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	d.exec(writeEntry, "before")
	_, after := p.followTo("", "before")
	slow, err := d.Owner.BeginTx(t.Context(), nil)
	d.must(err)
	defer func() { _ = slow.Rollback() }()
	_, err = slow.Exec(writeEntry, "slow")
	d.must(err)
	d.exec(writeEntry, "quick")
	for range 5 {
		page := into[shapes.AuditPage](p.get("/api/v1/audit?after=" + after))
		for _, e := range page.Items {
			if e.Reason != "" {
				t.Errorf("got %q while an older transaction is still running", e.Reason)
			}
		}
		after = page.After
	}
	d.must(slow.Commit())
	var reasons []string
	followed, _ := p.followTo(after, "quick")
	for _, e := range followed {
		if e.Reason != "" {
			reasons = append(reasons, e.Reason)
		}
	}
	if got := strings.Join(reasons, " "); got != "slow quick" {
		t.Errorf("got %q, want slow quick", got)
	}
}

// TestTrailWhileManyWrite follows while transactions overlap, roll back and commit
// in any order: every entry is returned once.
func TestTrailWhileManyWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	ctx, over := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for i := range 30 {
				tx, err := d.Owner.Begin()
				if err != nil {
					t.Error(err)
					return
				}
				for range 1 + (w+i)%3 {
					if _, err := tx.Exec(`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
						SELECT now(), 'x', 'system', 'test.done', 'success', '' FROM pg_sleep($1)`, float64((w*7+i)%5)/1000); err != nil {
						t.Error(err)
					}
				}
				if i%4 == 3 {
					err = tx.Rollback()
				} else {
					err = tx.Commit()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { wg.Wait(); over() }()
	followed := map[int64]int{}
	after := ""
	for ctx.Err() == nil {
		page := into[shapes.AuditPage](p.get("/api/v1/audit?limit=40&after=" + after).want(200))
		after = page.After
		for _, e := range page.Items {
			followed[e.ID]++
		}
	}
	d.exec(writeEntry, "the end")
	rest, _ := p.followTo(after, "the end")
	for _, e := range rest {
		followed[e.ID]++
	}
	rows, err := d.Owner.Query(`SELECT id FROM audit_entries WHERE action = 'test.done'`)
	d.must(err)
	defer rows.Close()
	n := 0
	for rows.Next() {
		var id int64
		d.must(rows.Scan(&id))
		if n++; followed[id] != 1 {
			t.Errorf("entry %d came %d times", id, followed[id])
		}
	}
	d.must(rows.Err())
	if n < 200 {
		t.Errorf("only %d entries were written", n)
	}
}

// TestFollowing looks at cursors, lines and what following itself leaves.
func TestFollowing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p, other := d.any(), d.any()
	sale := d.Sale(100)
	c := d.Request(sale)
	d.Dispatch(c.ID)
	d.exec(writeEntry, "marked")
	p.followTo("", "marked")
	all := into[shapes.AuditPage](p.get("/api/v1/audit"))
	if len(all.Items) < 4 || all.After != all.Items[len(all.Items)-1].Cursor {
		t.Fatalf("the trail = %+v", all)
	}
	if part := into[shapes.AuditPage](p.get("/api/v1/audit?after=" + all.Items[1].Cursor)); part.Items[0].ID != all.Items[2].ID {
		t.Errorf("after the second comes %d, want %d", part.Items[0].ID, all.Items[2].ID)
	}
	lines := p.get("/api/v1/audit?limit=3", "Accept", "application/x-ndjson").want(200)
	var first shapes.AuditEntry
	d.must(json.Unmarshal([]byte(strings.SplitN(string(lines.body), "\n", 2)[0]), &first))
	if n := strings.Count(string(lines.body), "\n"); n != 3 || first.ID != all.Items[0].ID ||
		lines.header.Get("Veinte-After") != all.Items[2].Cursor {
		t.Errorf("lines = %s with %s", lines.body, lines.header.Get("Veinte-After"))
	}
	// Two programs that follow do not keep each other busy.
	reads := func() int { return d.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.read'`) }
	_, after := p.followTo("", "marked")
	before := reads()
	for i := range 40 {
		after = into[shapes.AuditPage]([]*program{p, other}[i%2].get("/api/v1/audit?after=" + after)).After
	}
	if got := reads() - before; got != 0 {
		t.Errorf("forty polls that found nothing new left %d entries, want none", got)
	}
	d.exec(writeEntry, "new")
	p.followTo(after, "new")
	if got := reads() - before; got != 1 {
		t.Errorf("a poll that found something left %d entries, want 1", got)
	}
	var key string
	d.must(d.Owner.QueryRow(`SELECT key_hash FROM attempts`).Scan(&key))
	if body := string(p.get("/api/v1/audit?limit=1000").body); strings.Contains(body, key) ||
		strings.Contains(body, d.LastOrder().Key.Reveal()) {
		t.Error("the trail contains an attempt's id")
	}
	for query, want := range map[string]string{
		"after=x": "query.after:cursor.invalid", "after=" + strings.Repeat("x", 500): "query.after:cursor.invalid",
		"after=dDEuLTE": "query.after:cursor.invalid",
		"limit=0":       "query.limit:api.auditLimit", "limit=1001": "query.limit:api.auditLimit",
		"from=1": "query.from:api.query.unknown",
	} {
		if got := p.get("/api/v1/audit?"+query).problem(http.StatusUnprocessableEntity, "validation"); places(got.Errors) != want {
			t.Errorf("%.40s: %s, want %s", query, places(got.Errors), want)
		}
	}
}

// TestTrailOfAStore: a key of one store follows that store, and itself.
func TestTrailOfAStore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	there.Request(there.Sale(777))
	d.Request(d.Sale(888))
	p := d.program([]apikeys.Scope{apikeys.ScopeAuditFollow}, there.Store)
	p.get("/api/v1/sales").problem(403, "forbidden")
	d.Clock.Advance(time.Second)
	own := false
	followed, _ := p.followTo("", "api.scope")
	for _, e := range followed {
		own = own || e.Action == "api.refused"
		if e.StoreID != there.Store.ID && e.ActorID != p.id {
			t.Errorf("entries of another store: %+v", e)
		}
	}
	if !own {
		t.Error("its own refusal did not come")
	}
}
