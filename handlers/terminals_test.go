package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"veinte/models"
)

func TestTerminalsList(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	h.exec(`UPDATE terminals SET retired_at = now() WHERE id = $1`, h.terminal.ID)
	h.exec(`UPDATE assignments SET valid_from = $1`, h.Clock.Now().AddDate(0, 0, -8)) // so they were expected to post
	here, there := string(h.Terminal.SerialNumber), string(h.terminal.SerialNumber)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"", []string{here, there}},
		{"store=" + fmt.Sprint(h.there.ID), []string{there}},
		{"state=active", []string{here}},
		{"state=retired", []string{there}},
		{"state=planned", nil},
		{"problem=neverSeen", []string{here}},
		{"q=MOSTRADOR", []string{there}},
		{"q=majeno", []string{there}},
		{"q=" + here, []string{here}},
		{"q=%3Cscript%3E", nil},
	} {
		p := v.get("/terminals?" + tt.query).want(200)
		got := p.attrs("terminal", "data-serial")
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("/terminals?%s shows %v, want %v", tt.query, got, tt.want)
		}
		p.hides("<script>")
	}
	for _, query := range []string{
		"state=nonsense", "store=999", "store=abc", "store=-1", "problem=nonsense", "problem=unknownSerial",
		"days=0", "days=366", "days=siete", "cursor=nonsense", "cursor=e30x",
	} {
		p := v.get("/terminals?" + query)
		if p.status != 422 || len(p.byTestID("terminal")) != 0 || !strings.Contains(p.words(), "Hay algo que corregir") {
			t.Errorf(
				"/terminals?%s = %d with %d terminals, want 422 with none: %s", query, p.status, len(p.byTestID("terminal")), p.words(),
			)
		}
	}
}

func TestCreateTerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	good := url.Values{
		"serialNumber": {" 0123456789 "}, "label": {"Caja <b>1</b>"}, "merchantId": {"M.1_a-b"}, "store": {fmt.Sprint(h.Store.ID)},
	}
	for _, tt := range []struct {
		field, value, words string
	}{
		{"serialNumber", "", "diez dígitos"},
		{"serialNumber", "123456789", "diez dígitos"},
		{"serialNumber", "12345678901", "diez dígitos"},
		{"serialNumber", "١٢٣٤٥٦٧٨٩٠", "diez dígitos"},
		{"serialNumber", "-123456789", "diez dígitos"},
		{"serialNumber", string(h.Terminal.SerialNumber), "Ya hay una terminal"},
		{"label", "", "Llena este campo."},
		{"label", strings.Repeat("x", 61), "Es demasiado largo."},
		{"label", "a\x01b", "caracteres"},
		{"merchantId", "", "250 caracteres"},
		{"merchantId", "a\x01b", "250 caracteres"},
		{"merchantId", strings.Repeat("x", 251), "250 caracteres"},
		{"store", "", "Elige una sucursal."},
		{"store", "999999", "sucursal no existe"},
		{"store", "abc", "sucursal no existe"},
		{"store", "-1", "sucursal no existe"},
		{"store", "0", "sucursal no existe"},
		{"store", "99999999999999999999", "sucursal no existe"},
	} {
		form := url.Values{}
		for name, values := range good {
			form[name] = values
		}
		form.Set(tt.field, tt.value)
		p := v.post("/terminals", form)
		if p.status != 422 {
			t.Errorf("%s %q = %d, want 422", tt.field, tt.value, p.status)
			continue
		}
		p.says(tt.words)
		for _, name := range []string{"serialNumber", "label", "merchantId"} {
			if got := p.field(name); strings.TrimSpace(got) != strings.TrimSpace(form.Get(name)) && !strings.Contains(tt.value, "\x01") {
				t.Errorf("%s %q: %s is now %q, want %q", tt.field, tt.value, name, got, form.Get(name))
			}
		}
	}
	if n := h.count(`SELECT count(*) FROM terminals`); n != 1 {
		t.Fatalf("%d terminals, want only the one there was", n)
	}
	p := v.follow(v.post("/terminals", good)).want(200)
	p.one("flash")
	p.says("Caja <b>1</b>")
	p.says("0123456789")
	if got := h.text(`SELECT label FROM terminals WHERE serial_number = '0123456789'`); got != "Caja <b>1</b>" {
		t.Errorf("the label is %q", got)
	}
}

// TestMoveTerminal moves a terminal: its page says where it stood and when.
func TestMoveTerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	move := func(version, store, merchant string) *answer {
		return v.post(page+"/moves", url.Values{"version": {version}, "store": {store}, "merchantId": {merchant}})
	}
	there := fmt.Sprint(h.there.ID)
	for _, tt := range []struct {
		fact, version, store, merchant string
		status                         int
		words                          string
	}{
		{"nowhere", "1", "", "M2", 422, "Elige una sucursal."},
		{"to no store", "1", "999999", "M2", 422, "sucursal no existe"},
		{"to words", "1", "abc", "M2", 422, "sucursal no existe"},
		{"without a merchant", "1", there, "", 422, "250 caracteres"},
		{"to where it is", "1", fmt.Sprint(h.Store.ID), "M" + string(h.Terminal.SerialNumber), 422, "ya está"},
		{"as it was seen long ago", "7", there, "M2", 409, "Alguien lo cambió antes"},
		{"without a version", "", there, "M2", 400, "no se entendió"},
		{"with a version that is none", "1e0", there, "M2", 400, "no se entendió"},
		{"with a version too large", "99999999999", there, "M2", 400, "no se entendió"},
	} {
		p := move(tt.version, tt.store, tt.merchant)
		if p.status != tt.status {
			t.Errorf("%s = %d, want %d", tt.fact, p.status, tt.status)
			continue
		}
		p.says(tt.words)
		if tt.status == 400 {
			continue
		}
		form := p.formTo(page + "/moves")
		if got := form["merchantId"]; got != tt.merchant {
			t.Errorf("%s: the merchant is now %q, want %q", tt.fact, got, tt.merchant)
		}
	}
	h.Clock.Advance(time.Hour)
	p := v.follow(move("1", there, "M2").wantTo(page)).want(200)
	if got, want := textOf(p.one("moved-panel")), "Listo: "+h.Terminal.Label+" ya está en "+theirName; !strings.Contains(got, want) {
		t.Errorf("after the move the page says %q, want %q in it", got, want)
	}
	if got := textOf(p.one("stands")); !strings.Contains(got, theirName) {
		t.Errorf("after the move the terminal stands in %q, want %s", got, theirName)
	}
	for _, words := range []string{h.Store.Name, theirName, "M2", "M" + string(h.Terminal.SerialNumber)} {
		p.says(words)
	}
	v.get(page).want(200).hides("moved-panel", "Listo:")
	if got := v.get(page + "/moves/new").formTo(page + "/moves")["version"]; got != "2" {
		t.Errorf("the next move is made from version %q, want 2", got)
	}
	move("1", there, "M3").want(409) // another tab
	if n := h.count(`SELECT count(*) FROM assignments WHERE terminal_id = $1`, h.Terminal.ID); n != 2 {
		t.Errorf("%d assignments, want 2", n)
	}
	v.get("/audit?action=terminal.moved").says("Sucursal Ajena del Norte")
}

// formTo returns the fields of the form that goes to a path.
func (p *page) formTo(action string) map[string]string {
	p.tb.Helper()
	for _, form := range p.forms() {
		if form[""] == action {
			return form
		}
	}
	p.tb.Fatalf("%s has no form to %s", p.what, action)
	return nil
}

// links are the addresses that an element leads to.
func links(n *html.Node) (to []string) {
	for e := range n.Descendants() {
		if e.Type == html.ElementNode && e.Data == "a" {
			to = append(to, attr(e, "href"))
		}
	}
	return to
}

// TestATerminalIsAPlace shows a terminal with its store, its day, its newest sales and
// where it stood, and leads to one form for each thing that can be done.
func TestATerminalIsAPlace(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.Sale(hereAmount)
	h.StateOf(models.Unknown)
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	v := h.administrator()
	p := v.get(page).want(200)
	if got := textOf(p.one("stands")); !strings.Contains(got, h.Store.Name+" ·") || !strings.Contains(got, "desde el 20 nov 2026") ||
		!strings.Contains(got, "ahí son las 12:00") {
		t.Errorf("the terminal stands in %q, want its store, since when, and the time there", got)
	}
	day := strings.Join(strings.Fields(textOf(p.one("terminal-day"))), "")
	if !strings.Contains(day, "Vendidohoy2$") || !strings.Contains(day, "Cancelado0") || !strings.Contains(day, "Porverificar1$") {
		t.Errorf("the day of the terminal is %q, want two sales, one in doubt", day)
	}
	if got := p.byTestID("terminal-sale"); len(got) != 2 || !strings.Contains(textOf(got[0])+textOf(got[1]), "Por verificar") {
		t.Errorf("the terminal has %d newest sales, want its two, one in doubt", len(got))
	}
	p.hides(theirName, "7777777777", "moved-panel", "name=\"store\"", "name=\"label\"")
	if got := attr(p.one("move-terminal"), "href"); got != page+"/moves/new" {
		t.Errorf("Trasladar leads to %q", got)
	}

	// The form of the move says what it means, before it is made.
	form, merchant := v.get(page+"/moves/new").want(200), "M"+string(h.Terminal.SerialNumber)
	if got := textOf(form.one("means")); !strings.Contains(got, "Sus 2 ventas de hoy en "+h.Store.Name+" (") ||
		!strings.Contains(got, "Una cancelación en curso o por verificar sigue su camino") || !strings.Contains(got, "la nueva sucursal") {
		t.Errorf("the move means %q", got)
	}
	if got := form.formTo(page + "/moves"); got["store"] != "" || got["from"] != "" || got["merchantId"] != merchant {
		t.Errorf("the form of the move is filled with %v, want no store, no time, and its merchant id", got)
	}
	there := v.get(fmt.Sprintf("%s/moves/new?store=%d", page, h.there.ID)).want(200)
	if got := textOf(there.one("means")); !strings.Contains(got, "aparece en "+theirName) {
		t.Errorf("the move to %s means %q", theirName, got)
	}

	// The other form changes what it is called, and its merchant id, and asks for no store.
	edit := v.get(page + "/edit").want(200)
	if got := edit.formTo(page); got["label"] != h.Terminal.Label {
		t.Errorf("the form of the label is filled with %v", got)
	}
	if got := edit.formTo(page + "/moves"); got["stays"] != "on" || got["store"] != fmt.Sprint(h.Store.ID) {
		t.Errorf("the form of the merchant id is filled with %v", got)
	}
	again := v.post(page+"/moves", url.Values{
		"version": {"1"}, "store": {fmt.Sprint(h.Store.ID)}, "merchantId": {merchant}, "stays": {"on"},
	}).want(422)
	again.one("merchant-form")
	again.says("ya está en esa sucursal con ese id")
}

// TestTwoOfAStoreHaveOneName: the page of a terminal says which other of its store has the
// same name, and leads to the form that gives it another.
func TestTwoOfAStoreHaveOneName(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v, page := h.administrator(), fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	h.exec(`UPDATE terminals SET label = upper($1) WHERE serial_number = '7777777777'`, h.Terminal.Label)
	v.get(page).want(200).hides("same-name") // the other stands elsewhere
	v.follow(v.post(page+"/moves", url.Values{
		"version": {"1"}, "store": {fmt.Sprint(h.there.ID)}, "merchantId": {"M9"},
	}).wantTo(page)).says("S/N 7777777777")
	edit := v.get(page).one("same-name")
	if got := links(edit); len(got) != 1 || got[0] != page+"/edit" {
		t.Errorf("the warning leads to %v, want the form of the name", got)
	}
	h.exec(`UPDATE terminals SET retired_at = now() WHERE serial_number = '7777777777'`)
	v.get(page).want(200).hides("same-name")
}

// TestARetiredTerminalIsNotMoved: its page offers to bring it back instead.
func TestARetiredTerminalIsNotMoved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	h.exec(`UPDATE terminals SET retired_at = now() WHERE id = $1`, h.Terminal.ID)
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	p := v.get(page).want(200)
	p.hides("move-terminal")
	p.says("Poner en uso")
	form := v.get(page + "/moves/new").want(200)
	form.hides("move-form")
	form.says("Está fuera de uso")
	v.get(page + "/edit").want(200).hides("merchant-form")
	if got := v.get("/terminals").want(200).byTestID("move"); len(got) != 0 {
		t.Errorf("the list offers %d moves, want none of a terminal that is out of use", len(got))
	}
}

func TestRetireTerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	v.follow(v.post(page+"/retirement", url.Values{"version": {"1"}}).wantTo(page)).one("flash")
	v.post(page+"/retirement", url.Values{"version": {"1"}}).want(409).says("Alguien lo cambió antes")
	v.post(page+"/moves", url.Values{"version": {"2"}, "store": {fmt.Sprint(h.Store.ID)}, "merchantId": {"M9"}}).want(409)
	v.follow(v.post(page+"/restoration", url.Values{"version": {"2"}}).wantTo(page)).one("flash")
	v.follow(v.post(page, url.Values{"version": {"3"}, "label": {"Caja vieja"}}).wantTo(page)).says("Caja vieja")
	p := v.post(page, url.Values{"version": {"4"}, "label": {strings.Repeat("x", 61)}}).want(422)
	if got := p.formTo(page)["label"]; got != strings.Repeat("x", 61) {
		t.Errorf("the label is now %q", got)
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action IN ('terminal.retired', 'terminal.restored', 'terminal.changed')`,
	); n != 3 {
		t.Errorf("%d entries in the trail, want 3", n)
	}
	for _, path := range []string{
		"/terminals/999999", "/terminals/0", "/terminals/-1", "/terminals/abc", "/terminals/99999999999999999999",
	} {
		v.get(path).want(404)
		v.post(path+"/retirement", url.Values{"version": {"1"}}).want(404)
	}
}

// TestASharedMerchantIDIsSaidAtOnce: the one mistake of an administrator that
// sends a cancellation to the wrong till is named on the page that made it.
func TestASharedMerchantIDIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	other := h.NewTerminal(h.Store)
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	if got := v.get(page).want(200).attrs("terminal-problem", "data-kind"); len(got) != 0 {
		t.Errorf("a terminal with a merchant id of its own has the problems %q, want none", got)
	}
	moved := v.follow(v.post(page+"/moves", url.Values{
		"version": {"1"}, "store": {fmt.Sprint(h.Store.ID)}, "merchantId": {"M" + string(other.SerialNumber)}, "stays": {"on"},
	})).want(200)
	moved.says("Cambios guardados")
	if got := moved.attrs("terminal-problem", "data-kind"); len(got) != 1 || got[0] != "sharedMerchant" {
		t.Errorf("the page has the problems %q, want the shared merchant id", got)
	}
	if got := links(moved.one("terminal-problem")); !slices.Contains(got, fmt.Sprintf("/terminals/%d", other.ID)) {
		t.Errorf("the problem leads to %q, want the other terminal", got)
	}
	h.exec(`UPDATE terminals SET retired_at = now() WHERE id = $1`, other.ID)
	if got := v.get(page).want(200).attrs("terminal-problem", "data-kind"); len(got) != 0 {
		t.Errorf("beside a terminal that is not in use there are the problems %q, want none", got)
	}
}
