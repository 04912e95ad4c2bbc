package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models/apikeys"
	"veinte/models/modelstest"
)

const zone = `"timeZone":"America/Mexico_City"`

func (p *program) put(path, body string, headers ...string) *answer {
	p.tb.Helper()
	return p.send("PUT", path, body, headers...)
}

// entries counts what the trail has of an action by a program.
func (p *program) entries(action string) int {
	p.tb.Helper()
	return p.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND actor_role = 'integration' AND action = $2`, p.id, action)
}

// TestPutStore: made once, changed where it differs, and by whom has seen the last version.
func TestPutStore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.program([]apikeys.Scope{apikeys.ScopeStoresWrite, apikeys.ScopeStoresRead})
	const path, roma = "/api/v1/stores/ROMA-77", `{"storeName":"Roma Norte",` + zone + `}`
	made := p.put(path, roma).want(201)
	first := into[shapes.Store](made)
	if first.Store != "ROMA-77" || first.StoreName != "Roma Norte" || first.Version != 1 || made.header.Get("ETag") != `"1"` {
		t.Errorf("made %+v with ETag %s", first, made.header.Get("ETag"))
	}
	for range 3 { // a repeat, and the same in other letters
		if again := p.put("/api/v1/stores/roma%2D77", roma).want(200); string(again.body) != string(made.body) {
			t.Errorf("a repeat answers %s", again.body)
		}
	}
	d.exec(`UPDATE stores SET traceability = '{"a":"b"}' WHERE code = 'ROMA-77'`)
	changed := into[shapes.Store](p.put(path, `{"storeName":"Roma Sur",`+zone+`}`, "If-Match", `"1"`).want(200))
	if changed.StoreName != "Roma Sur" || changed.Version != 2 || changed.StoreNumber != first.StoreNumber {
		t.Errorf("changed to %+v", changed)
	}
	if d.count(`SELECT count(*) FROM stores WHERE code = 'ROMA-77' AND traceability = '{"a":"b"}'`) != 1 {
		t.Error("the template of the store is gone")
	}
	if made, changed := p.entries("store.created"), p.entries("store.changed"); made != 1 || changed != 1 {
		t.Errorf("the trail has %d made and %d changed, want one of each", made, changed)
	}
	p.put(path, roma, "If-Match", `"1"`).problem(412, "changed-meanwhile")
	p.put(path, roma, "If-None-Match", "*").problem(412, "changed-meanwhile")
	p.put("/api/v1/stores/NEW-1", roma, "If-Match", `"1"`).problem(412, "changed-meanwhile")
	for _, wrong := range []string{"1", `W/"1"`, `"0"`, `"x"`, `"1", "2"`, "*"} {
		if got := p.put(path, roma, "If-Match", wrong).problem(422, "validation"); places(got.Errors) != "header.If-Match:api.ifMatch" {
			t.Errorf("If-Match %s: %s", wrong, places(got.Errors))
		}
	}
	for body, want := range map[string]string{
		`{"storeName":"",` + zone + `}`:                                "body.storeName:field.required",
		`{` + zone + `}`:                                               "body.storeName:field.required",
		`{"storeName":"X","timeZone":"Mars"}`:                          "body.timeZone:timeZone.invalid",
		`{"storeName":"X"}`:                                            "body.timeZone:timeZone.invalid",
		`{"storeName":1,` + zone + `}`:                                 "body.storeName:api.field.notText",
		`{"storeName":"X",` + zone + `,"store":"Y"}`:                   "body.store:api.field.unknown",
		`{"storeName":"` + strings.Repeat("x", 81) + `",` + zone + `}`: "body.storeName:field.tooLong",
		`{"storeName":"4111111111111111",` + zone + `}`:                "body.storeName:field.cardNumber",
	} {
		if got := p.put(path, body).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", body, places(got.Errors), want)
		}
	}
	if got := p.put("/api/v1/stores/no%20good", roma).problem(422, "validation"); places(got.Errors) != "path.store:storeCode.invalid" {
		t.Errorf("a code that is none: %s", places(got.Errors))
	}
	if listed := into[shapes.Stores](p.get("/api/v1/stores?limit=200").want(200)); !strings.Contains(fmt.Sprint(listed.Items), "Roma Sur") {
		t.Errorf("the list has %+v", listed.Items)
	}

	here := d.program([]apikeys.Scope{apikeys.ScopeStoresWrite}, d.Store)
	here.put("/api/v1/stores/"+d.Store.Code, roma).want(200)
	here.put("/api/v1/stores/NEW-2", roma).problem(404, "not-found") // a key of some stores makes none
	here.put(path, roma).problem(404, "not-found")
}

// TestPutTerminal: registered, renamed, moved, retired and taken into use, each an entry of
// the trail as on the pages; a repeat is none.
func TestPutTerminal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	there := d.Branch(t)
	p := d.program([]apikeys.Scope{apikeys.ScopeTerminalsWrite, apikeys.ScopeStoresRead})
	serial := modelstest.NextSerial()
	path := "/api/v1/terminals/" + serial
	body := func(label, store, merchant, more string) string {
		return fmt.Sprintf(`{"label":%q,"store":%q,"storeId":%q%s}`, label, store, merchant, more)
	}
	here := d.Store.Code
	p.put(path, body("Caja 1", here, "777", `,"retired":true`)).problem(422, "validation")
	made := into[shapes.Terminal](p.put(path, body("Caja 1", here, "777", "")).want(201))
	if made.SerialNumber != serial || made.Store != here || made.StoreID != "777" || made.Version != 1 || made.RetiredAt != nil {
		t.Errorf("made %+v", made)
	}
	for _, step := range []struct{ body, action string }{
		{body("Caja 1", here, "777", ""), ""},
		{body("Caja 1", here, "777", `,"retired":false`), ""},
		{body("Caja 2", here, "777", ""), "terminal.changed"},
		{body("Caja 2", strings.ToLower(there.Store.Code), "778", ""), "terminal.moved"},
		{body("Caja 2", there.Store.Code, "779", ""), "terminal.moved"},
		{body("Caja 2", there.Store.Code, "779", `,"retired":true`), "terminal.retired"},
		{body("Caja 2", there.Store.Code, "779", ""), ""}, // as it is
		{body("Caja 2", there.Store.Code, "779", `,"retired":false`), "terminal.restored"},
	} {
		d.Clock.Advance(time.Second)
		before := d.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1`, p.id)
		answer := p.put(path, step.body).want(200)
		t1 := into[shapes.Terminal](answer)
		noted := d.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1`, p.id) - before
		want := 1
		if step.action == "" {
			want = 0
		}
		if noted != want || want == 1 && p.entries(step.action) == 0 {
			t.Errorf("%s left %d entries, want %d of %q", step.body, noted, want, step.action)
		}
		if answer.header.Get("ETag") != fmt.Sprintf(`"%d"`, t1.Version) {
			t.Errorf("%s: ETag %s of version %d", step.body, answer.header.Get("ETag"), t1.Version)
		}
		if again := into[shapes.Terminal](p.put(path, step.body).want(200)); again.Version != t1.Version {
			t.Errorf("a repeat of %s changed it", step.body)
		}
	}
	// Of several changes either all are made or none.
	p.put(path, body("Caja 2", there.Store.Code, "779", `,"retired":true`)).want(200)
	p.put(path, body("Otra", here, "779", "")).problem(409, "terminal-retired")
	if d.count(`SELECT count(*) FROM terminals WHERE serial_number = $1 AND label = 'Caja 2'`, serial) != 1 {
		t.Error("a refused move left another label")
	}
	all := into[shapes.Terminal](p.put(path, body("Otra", here, "780", `,"retired":false`)).want(200))
	if all.Label != "Otra" || all.Store != here || all.StoreID != "780" || all.RetiredAt != nil {
		t.Errorf("all at once: %+v", all)
	}
	for text, want := range map[string]string{
		body("", here, "1", ""):                      "body.label:field.required",
		body("X", "", "1", ""):                       "body.store:storeCode.invalid",
		body("X", "NADA-1", "1", ""):                 "body.store:store.unknown",
		body("X", here, "", ""):                      "body.storeId:merchantId.invalid",
		body("X", here, "1", `,"retired":"yes"`):     "body.retired:api.boolean",
		body("X", here, "1", `,"serialNumber":"1"`):  "body.serialNumber:api.field.unknown",
		body("X", here, "1", `,"retired":true`)[:20]: "",
	} {
		if want == "" {
			p.put(path, text).problem(400, "malformed")
		} else if got := p.put(path, text).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", text, places(got.Errors), want)
		}
	}
	if got := p.put("/api/v1/terminals/12", body("X", here, "1", "")).problem(422, "validation"); places(got.Errors) !=
		"path.serialNumber:serial.invalid" {
		t.Errorf("a serial number that is none: %s", places(got.Errors))
	}
	// A sale of this hour forbids what contradicts it: the pages' own rule.
	own := d.program([]apikeys.Scope{apikeys.ScopeTerminalsWrite}, d.Store)
	own.put(path, body("Nuestra", here, "780", "")).want(200)
	own.put(path, body("Nuestra", there.Store.Code, "780", "")).problem(422, "validation") // not one of its stores
	other := d.program([]apikeys.Scope{apikeys.ScopeTerminalsWrite}, there.Store)
	other.put(path, body("Suya", there.Store.Code, "780", "")).problem(404, "not-found")
	p.put(path, body("X", here, "780", ""), "If-Match", `"1"`).problem(412, "changed-meanwhile")
	p.put(path, body("X", here, "780", ""), "If-None-Match", "*").problem(412, "changed-meanwhile")
}

// TestPutsAtOnce: of those that saw the same version one changes it; those that saw nothing
// all come through, and make one store.
func TestPutsAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	const n = 6
	atOnce := func(headers ...string) (statuses map[int]int) {
		statuses = map[int]int{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				a := p.put("/api/v1/stores/ROMA-78", fmt.Sprintf(`{"storeName":"Roma %s %d",%s}`, headers[0], i, zone), headers...)
				mu.Lock()
				defer mu.Unlock()
				statuses[a.status]++
			})
		}
		all.Wait()
		return statuses
	}
	if got := atOnce("If-None-Match", "*"); got[201] != 1 || got[412] != n-1 {
		t.Errorf("made at once: %v, want one made", got)
	}
	if got := atOnce("If-Match", `"1"`); got[200] != 1 || got[412] != n-1 {
		t.Errorf("changed at once: %v, want one changed", got)
	}
	if got := d.count(`SELECT count(*) FROM audit_entries WHERE actor_id = $1 AND action LIKE 'store.%'`, p.id); got != 2 {
		t.Errorf("the trail has %d changes, want 2", got)
	}
}
