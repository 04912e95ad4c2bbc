package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"veinte/models/audit/trailfile/stamp/stamptest"
	"veinte/web/lab"
)

// program runs ours to its end, and returns what it prints.
func program(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=en_US.UTF-8"}
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("veinte %v: %v\n%s%s", args, err, out, complaint.String())
	}
	return string(out)
}

// strangers sign the trail of a shop: an authority, which is OpenSSL's, and two witnesses, of
// which the second is away until somebody starts it.
type strangers struct {
	settings  []string
	authority *stamptest.Authority
	trailKey  string // public, as text
	witnesses [2]string
	away      *lab.Process
}

func newStrangers(t *testing.T) *strangers {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	s := &strangers{authority: stamptest.New(t, stamptest.Options{})}
	s.trailKey = strings.TrimSpace(program(t, "audit", "keygen", "--name", "tienda.example/bitacora", "--out", in("trail.key")))
	list := ""
	for i, name := range []string{"contadora.example", "franquicia.example"} {
		key := in(name)
		s.witnesses[i] = strings.TrimSpace(program(t, "audit", "keygen", "--witness", "--name", name, "--out", key))
		w, err := lab.NewProcess(binary, in(name+".log"), "/healthz", nil,
			"audit", "witness", "--listen", "ADDR", "--witness-key", key, "--log", s.trailKey, "--state", in(name+".state"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := w.Stop(); err != nil {
				t.Error(err)
			}
		})
		if i == 0 {
			start(t, w)
		}
		list += s.witnesses[i] + " http://" + w.Addr + "\n"
		s.away = w
	}
	if err := os.WriteFile(in("witnesses"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	s.settings = []string{
		"AUDIT_KEY_FILE=" + in("trail.key"), "AUDIT_WITNESSES=" + in("witnesses"), "AUDIT_TSA=sellos.example=" + s.stamps(t),
	}
	return s
}

func start(t *testing.T, p *lab.Process) {
	t.Helper()
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// stamps has the authority answer over HTTP.
func (s *strangers) stamps(t *testing.T) (address string) {
	t.Helper()
	var one sync.Mutex // its folder is one
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Content-Type") != "application/timestamp-query" {
			http.Error(w, "no query", http.StatusBadRequest)
			return
		}
		one.Lock()
		defer one.Unlock()
		w.Header().Set("Content-Type", "application/timestamp-reply")
		_, _ = w.Write(s.authority.Reply(query))
	}))
	t.Cleanup(at.Close)
	return at.URL
}

// attester is the row of somebody who signs.
func attester(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("[data-testid=attester]")]
		.find((r) => r.querySelector("bdi").textContent === %q)`, name)
}

// covers is over how many entries their last signature is.
func (p *page) covers(name string) int {
	p.t.Helper()
	return eval[int](p, `+`+attester(name)+`.querySelector(".num").textContent.replaceAll(",", "")`)
}

// more is that somebody has signed more than so many entries, and has no trouble.
func more(name string, than int) string {
	return fmt.Sprintf(`((r) => r?.dataset.trouble === "" &&
		+r.querySelector(".num").textContent.replaceAll(",", "") > %d)(%s)`, than, attester(name))
}

var hour = regexp.MustCompile(`\d{1,2}:\d{2}`)

// TestStrangersOnThePage: who signs the trail beside its own key and when, who is away and
// since when, and that they are asked now, with scripts and without; and what leaves is
// verified by those signatures in the page for people without a terminal.
func TestStrangersOnThePage(t *testing.T) {
	t.Parallel()
	others := newStrangers(t)
	shop := openShop(t, 1, others.settings...)
	s := shop.first
	s.box.sell(t, shop.serials[0], "1250.00", nil)
	const authority, witness, away = "sellos.example", "contadora.example", "franquicia.example"
	p := s.openAs(t, supervisor, desk)
	p.goTo("/audit/verification")
	p.reloadUntil("two signatures, and who is away", more(authority, 0)+" && "+more(witness, 0)+" && "+
		attester(away)+`.dataset.trouble === "attest.away"`)

	for lang, words := range map[string]map[string][]string{
		"es-MX": {
			authority: {"Autoridad de sellado de tiempo", "Firma"}, witness: {"Testigo", "Firma"},
			away: {"Testigo", "Todavía no", "No responde desde"},
		},
		"en": {
			authority: {"Time stamping authority", "Signs"}, witness: {"Witness", "Signs"},
			away: {"Witness", "Not yet", "It has not answered since"},
		},
	} {
		p.setCookie("veinte_language", lang)
		for _, sc := range []screen{desk, phone} {
			p.screen = sc
			p.resize(sc)
			p.goTo("/audit/verification")
			for name, all := range words {
				row := eval[string](p, attester(name)+".innerText")
				for _, want := range all {
					if !strings.Contains(row, want) {
						t.Errorf("%s in %s says %q, want %q in it", name, lang, row, want)
					}
				}
				if !hour.MatchString(row) {
					t.Errorf("%s in %s says %q, want since when", name, lang, row)
				}
			}
			where := fmt.Sprintf("who else signs, in %s at %d px", lang, sc.width)
			p.wantRoom(where)
			if eval[bool](p, `((table) => table.scrollWidth > table.clientWidth)(document.querySelector("[data-testid=others] .scroll"))`) {
				t.Errorf("%s: the table does not fit into its card", where)
			}
			for _, light := range bothLights {
				p.prefer(light)
				p.savePicture("strangers", lang, light)
			}
			p.prefer("light")
		}
	}

	// Somebody without scripts asks; one of those who sign is still away.
	plain := s.openAs(t, supervisor, phone)
	plain.withoutScripts()
	plain.goTo("/audit/verification")
	wasStamped, wasSeen := plain.covers(authority), plain.covers(witness)
	plain.press(id("signatures-form") + " button")
	plain.wantSays(id("flash"), "Ya se pidieron las firmas")
	for !eval[bool](plain, more(authority, wasStamped)+" && "+more(witness, wasSeen)) {
		plain.reload()
	}

	// It comes back, and its first signature covers what was added meanwhile.
	start(t, others.away)
	p.setCookie("veinte_language", "es-MX")
	p.goTo("/audit/verification")
	wasSeen = p.covers(witness)
	p.press(id("signatures-form") + " button")
	p.see(id("flash"))
	p.do(markLoaded)
	p.until("the signature of who was away, by itself", more(away, wasSeen-1))
	p.wantNotReloaded()

	status, export := s.as(t, supervisor).get(t, "/audit.jsonl")
	if status != http.StatusOK {
		t.Fatalf("GET /audit.jsonl = %d: %.300s", status, export)
	}
	v := s.verifier(t, supervisor, phone)
	v.until("the form", has("#file"))
	v.do(step(fmt.Sprintf(`document.querySelector("#strangers").open = true;
		{ const chosen = (text, name) => { const d = new DataTransfer(); d.items.add(new File([text], name)); return d.files };
		document.querySelector("#file").files = chosen(%q, "bitacora.jsonl");
		document.querySelector("#roots").files = chosen(%q, "raiz.pem") }`, export, others.authority.Root())))
	v.fill("#key", others.trailKey)
	v.fill("#witnesses", strings.Join(others.witnesses[:], "\n"))
	v.press("form button[type=submit]")
	v.until("the verdict", `document.querySelector("#result").dataset.state === "intact"`)
	for _, want := range []string{"2 de 2 testigos lo firmaron", "Un sello de tiempo de", "El testigo " + witness, "El testigo " + away} {
		v.wantSays("#result", want)
	}
	v.wantFit("the verdict with strangers")
	v.savePicture("verifier-strangers", "es-MX", "light")
}
