package web

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// onlyTheDocument is the recipe for whoever has the cancellation document and nothing
// else.
var onlyTheDocument = section{"deploy/DOCUMENT_ALONE.md", "# With the cancellation document alone"}

// serveTyped runs commands that end with veinte serve in a shell, as an administrator
// would type them.
func (s *shop) serveTyped(commands string, env ...string) *proc {
	s.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(s.t, err)
	addr := ln.Addr().String()
	must(s.t, ln.Close())
	bin := s.t.TempDir()
	must(s.t, os.Symlink(program, filepath.Join(bin, "veinte")))
	p := &proc{t: s.t, url: "http://" + addr, done: make(chan struct{})}
	p.cmd = exec.Command("bash", "-eu", "-c", strings.Replace(commands, "veinte serve", "exec veinte serve", 1))
	p.cmd.Env = append([]string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "DATABASE_URL=" + s.dbURL, "ADDR=" + addr, "ADMIN_ADDR=",
		"CUTOFF_ZONE=" + noonZone(),
	}, env...)
	p.cmd.Stderr = p
	must(s.t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	s.t.Cleanup(func() {
		if p.end(syscall.SIGKILL); s.t.Failed() {
			s.t.Log(p.log())
		}
	})
	p.await("/readyz")
	return p
}

// TestWithTheDocumentAlone types the recipe: without results and without inquiries an
// acknowledgement counts as canceled, the pages say that nobody has confirmed it and
// why, and a lost answer is a doubt that only a person resolves.
func TestWithTheDocumentAlone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.control(http.MethodPost, "/control/sales", `{"serialNumber":"`+serial(0)+`","amount":"120.50","orderId":"only-1"}`)
	token := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(token, []byte("token\n"), 0o600))
	serving, cancelling, ok := strings.Cut(onlyTheDocument.commands(t), "echo; echo ----\n")
	if !ok {
		t.Fatal("the recipe has one block of commands, want two")
	}
	server := s.serveTyped(serving, "CANCEL_BASE_URL="+s.box.url, "ACCESS_TOKEN_FILE="+token)
	if log := server.log(); !strings.Contains(log, "the service's answer counts as canceled") {
		t.Errorf("the start does not say what differs:\n%s", log)
	}
	out := s.typedCommands(cancelling, "VEINTE_URL="+server.url, "TERMINAL="+serial(0), "ORDER=only-1")
	if before, after, _ := strings.Cut(out, `"canceled":"no"`); !strings.Contains(after, `"canceled":"yes"`) {
		t.Errorf("the commands say\n%s%s", before, after)
	}

	ana := s.signIn(server, "ana@shop.example")
	var id, posts int64
	must(t, s.db.Pool().QueryRow(context.Background(), `SELECT id FROM sales WHERE order_id = 'only-1'`).Scan(&id))
	must(t, s.db.Pool().QueryRow(context.Background(), `SELECT count(*) FROM results`).Scan(&posts))
	_, page := ana.get("/sales/" + strconv.FormatInt(id, 10))
	for _, words := range []string{
		"Cancelada", "Ninguna terminal lo ha confirmado", "El servicio contestó que la envió a la terminal",
		"Por la configuración, eso cuenta como cancelada", "entrega el comprobante",
	} {
		if !strings.Contains(page, words) {
			t.Errorf("the sale's page does not say %q", words)
		}
	}
	if posts != 0 || strings.Contains(page, "No hay nada más que hacer") {
		t.Errorf("%d results were posted, and the page says that nothing is left to do", posts)
	}
	_, notice := ana.get("/sales/" + strconv.FormatInt(id, 10) + "/slip")
	if !strings.Contains(notice, "El servicio recibió la cancelación") {
		t.Error("the customer notice says more than that the service received it")
	}
	s.doubtOfThePerson(server, ana)
}

// doubtOfThePerson loses the service's answer: nothing verifies the doubt by itself,
// and a supervisor with the receipt ends it.
func (s *shop) doubtOfThePerson(server *proc, ana *browser) {
	s.t.Helper()
	s.control(http.MethodPost, "/control/sales", `{"serialNumber":"`+serial(1)+`","amount":"120.50","orderId":"only-2"}`)
	s.control(http.MethodPost, "/control/faults", `{"fault":"dropAfterReading","acts":true,"orderId":"only-2"}`)
	id := s.importSale(serial(1), "only-2")
	sale := "/sales/" + strconv.FormatInt(id, 10)
	ana.cancel(id, true)
	s.becomes(id, 30*time.Second, "unknown")
	_, page := ana.get(sale)
	if strings.Contains(page, `data-testid="verification"`) || strings.Contains(page, `data-testid="inquiry"`) {
		s.t.Error("a verification is announced that never comes")
	}
	sofia := s.signIn(server, "sofia@shop.example")
	if _, page = sofia.get(sale); !strings.Contains(page, "Aquí no hay verificación automática") {
		s.t.Error("the page does not say that nothing verifies it")
	}
	var cancellation int64
	must(s.t, s.db.Pool().QueryRow(context.Background(), `SELECT id FROM cancellations WHERE sale_id = $1`, id).Scan(&cancellation))
	sofia.post(sale, "/cancellations/"+strconv.FormatInt(cancellation, 10)+"/resolution", url.Values{
		"outcome": {"canceled"}, "authCode": {"123456"}, "note": {"el comprobante de la terminal"},
	})
	s.becomes(id, 10*time.Second, "confirmed")
	if _, page = sofia.get(sale); strings.Contains(page, "Ninguna terminal lo ha confirmado") {
		s.t.Error("what a person saw is said to be a setting")
	}
}

// importSale takes a sale of a moment ago in from a file.
func (s *shop) importSale(serial, order string) (id int64) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "sales.csv")
	must(s.t, os.WriteFile(file, []byte("serialNumber,orderId,amount,soldAt\n"+
		serial+","+order+",120.50,"+time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600))
	if _, stderr, code := veinte(s.t, []string{"DATABASE_URL=" + s.dbURL, "CUTOFF_ZONE=" + noonZone()}, "sales", "import", file); code != 0 {
		s.t.Fatalf("sales import exited %d: %s", code, stderr)
	}
	must(s.t, s.db.Pool().QueryRow(context.Background(), `SELECT id FROM sales WHERE order_id = $1`, order).Scan(&id))
	return id
}
