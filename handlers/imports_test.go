package handlers_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/imports"
)

// saleFile is a file with a sale of the house's terminal for each order.
func (h *house) saleFile(orders ...string) string {
	b := "n/s;orden;importe;fecha\n"
	for _, o := range orders {
		b += fmt.Sprintf("%s;%s;1250,00;20/11/2026 11:59\n", h.Terminal.SerialNumber, o)
	}
	return b
}

// checkedImport is a file that was checked.
func (h *house) checkedImport(orders ...string) *imports.Import {
	h.tb.Helper()
	return h.checkedFile(h.saleFile(orders...))
}

func (h *house) checkedFile(content string) *imports.Import {
	h.tb.Helper()
	imp, err := h.Imports.Upload(
		context.Background(), h.Admin, imports.OfSales, "ventas.csv", strings.NewReader(content), int64(len(content)),
	)
	h.must(err)
	h.must(h.Imports.RunImport(context.Background(), imp.ID))
	return imp
}

// fileForm is a form with a file as browsers send it. fields are names and values
// by turns.
func fileForm(content string, fields ...string) (body, kind string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	part, _ := w.CreateFormFile("file", "ventas de hoy.csv")
	_, _ = io.WriteString(part, content)
	_ = w.Close()
	return b.String(), w.FormDataContentType()
}

// upload sends a file as the page's form would.
func (v *visitor) upload(content string) *answer {
	v.h.tb.Helper()
	body, kind := fileForm(content, "csrf", v.csrf(), "kind", "sales")
	return v.send("POST", "/imports", body, "Content-Type", kind, "Origin", "http://veinte.test", "Sec-Fetch-Site", "same-origin")
}

// saysAll fails unless the page says all of it.
func (p *page) saysAll(words ...string) {
	p.tb.Helper()
	for _, w := range words {
		p.says(w)
	}
}

// TestImportInTheBrowser goes the whole way: upload, check, confirm, undo.
func TestImportInTheBrowser(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Ada", models.Administrator))
	v.get("/imports").want(200).says("Todavía no se ha importado ningún archivo")
	v.get("/imports/new").want(200).saysAll("Archivo CSV o Excel", "primero el día", "soldAt")
	v.get("/imports/new?kind=nonsense").want(404)

	a := v.upload(h.saleFile("A", "B") + "x;C;1;20/11/2026 11:59\n")
	path := a.want(303).header.Get("Location")
	v.get(path).want(200).saysAll("Se está revisando cada renglón", "Puedes salir")
	var id int64
	_, err := fmt.Sscanf(path, "/imports/%d", &id)
	h.must(err)
	h.must(h.Imports.RunImport(t.Context(), id))
	v.get(path+"?fragment=import").want(200).saysAll(
		"Se revisaron 3 renglones", "Renglón 4", "no son solo cifras", "Importar solo las 2 ventas correctas",
	)
	if n := h.count(`SELECT count(*) FROM sales`); n != 0 {
		t.Errorf("sales before anybody confirmed = %d", n)
	}
	v.post(path+"/confirmation", url.Values{"version": {"2"}}).want(409).says("no pediste importar solo las correctas")
	v.post(path+"/confirmation", url.Values{"version": {"2"}, "partial": {"on"}}).wantTo(path)
	v.post(path+"/confirmation", url.Values{"version": {"2"}, "partial": {"on"}}).want(409).says("Alguien más ya hizo algo")
	h.must(h.Imports.RunImport(t.Context(), id))
	v.get(path).want(200).saysAll("Se importó", "Deshacer la importación")
	h.fileNoted(v, path+"/wrong.csv", "wrongRows", "import")
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(v.get(path+"/wrong.csv").want(200).body, "\uFEFF"))).ReadAll()
	h.must(err)
	if len(rows) != 2 || rows[0][0] != "Renglón" || rows[1][0] != "4" || rows[1][1] != "x" ||
		!strings.Contains(rows[1][len(rows[1])-1], "serialNumber: “x” no son solo cifras") {
		t.Errorf("wrong rows = %q", rows)
	}
	v.post(path+"/undoing", url.Values{"version": {"4"}}).wantTo(path)
	v.get(path).saysAll("Se deshizo la importación", "ya no está en las listas")
	v.get("/imports").want(200).saysAll("ventas de hoy.csv", "Deshecho")
	if n := h.count(`SELECT count(*) FROM sales`); n != 0 {
		t.Errorf("sales after the undo = %d", n)
	}

	again := h.checkedImport("D")
	h.must(h.Imports.ConfirmImport(t.Context(), h.Admin, again.ID, 2, false))
	h.must(h.Imports.RunImport(t.Context(), again.ID))
	sale := h.FindSale("D")
	_, err = h.Cancellations.Request(
		t.Context(), h.Manager, cancellations.CancelRequest{SaleID: sale.ID, Reason: models.ReasonOther, Note: "x", Click: "d"},
	)
	h.must(err)
	v.post(fmt.Sprintf("/imports/%d/undoing", again.ID), url.Values{"version": {"4"}}).want(409).says("no se puede deshacer")
}

// TestFilesThatAreNone says at the form why.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Ada", models.Administrator))
	for _, tt := range []struct {
		fact, content string
		status        int
		words         string
	}{
		{"nothing", "", 422, "El archivo está vacío"},
		{"a web page", "<!doctype html><title>Login</title>", 422, "Es una página web"},
		{"an image", "\x89PNG\r\n\x1a\n0000", 422, "No es una tabla"},
		{"an old workbook", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 422, ".xlsx sin contraseña"},
		{"columns missing", "a;b\n1;2\n", 422, "serialNumber, orderId, amount, soldAt"},
		{"columns twice", "n/s;serie;orden;importe;fecha\n1;1;1;1;1\n", 422, "n/s"},
		{"half a file", h.saleFile("A") + "\"1", 422, "termina dentro de unas comillas que se abren en el renglón 3"},
		{"51 MB", strings.Repeat("x", 51<<20), 413, "el máximo son 50 MB"},
	} {
		a := v.upload(tt.content)
		if a.status != tt.status {
			t.Errorf("%s = %d, want %d: %s", tt.fact, a.status, tt.status, a.words())
			continue
		}
		a.says(tt.words)
		a.survives("es-MX")
	}
	if n := h.count(`SELECT count(*) FROM imports`); n != 0 {
		t.Errorf("imports = %d, want none", n)
	}
}

// TestStrangeUploads sends forms that are not ours.
func TestStrangeUploads(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Ada", models.Administrator))
	manager := h.manager()
	good := h.saleFile("A")
	send := func(v *visitor, body, kind string, more ...string) *answer {
		return v.send("POST", "/imports", body, append([]string{"Content-Type", kind, "Sec-Fetch-Site", "same-origin"}, more...)...)
	}
	fields := func(pairs ...string) (string, string) { return fileForm(good, pairs...) }
	for _, tt := range []struct {
		fact   string
		answer func() *answer
		status int
	}{
		{"without a token", func() *answer { b, k := fields("kind", "sales"); return send(v, b, k) }, 403},
		{"with another's token", func() *answer { b, k := fields("csrf", manager.csrf(), "kind", "sales"); return send(v, b, k) }, 403},
		{"its token in the address", func() *answer {
			b, k := fields("kind", "sales")
			return v.send("POST", "/imports?csrf="+url.QueryEscape(v.csrf()), b, "Content-Type", k)
		}, 403},
		{"from another site", func() *answer {
			b, k := fields("csrf", v.csrf(), "kind", "sales")
			return send(v, b, k, "Sec-Fetch-Site", "cross-site")
		}, 403},
		{"of no kind", func() *answer { b, k := fields("csrf", v.csrf()); return send(v, b, k) }, 400},
		{"of an unknown kind", func() *answer { b, k := fields("csrf", v.csrf(), "kind", "cards"); return send(v, b, k) }, 400},
		{"with a long field", func() *answer { b, k := fields("csrf", strings.Repeat("x", 300)); return send(v, b, k) }, 400},
		{"with many fields", func() *answer {
			b, k := fields(strings.Split(strings.Repeat("a,b,", 30), ",")[:60]...)
			return send(v, b, k)
		}, 400},
		{"with NUL", func() *answer { b, k := fields("kind", "sal\x00es"); return send(v, b, k) }, 400},
		{"cut", func() *answer {
			b, k := fields("csrf", v.csrf(), "kind", "sales")
			return send(v, b[:len(b)-80], k)
		}, 400},
		{"without a boundary", func() *answer { return send(v, "x", "multipart/form-data") }, 400},
		{"with the file first", func() *answer {
			b, k := fields()
			return send(v, b, k)
		}, 400},
		{"by a manager", func() *answer { b, k := fields("csrf", manager.csrf(), "kind", "sales"); return send(manager, b, k) }, 403},
		{"by nobody", func() *answer {
			n := h.visitor()
			b, k := fields("csrf", n.csrf(), "kind", "sales")
			return send(n, b, k)
		}, 303},
		{"at another address", func() *answer {
			b, k := fields("csrf", v.csrf(), "kind", "sales")
			return v.send("POST", "/stores", b, "Content-Type", k)
		}, 400},
		{"in capitals", func() *answer {
			b, k := fields("csrf", v.csrf(), "kind", "sales")
			return v.send("POST", "/IMPORTS", b, "Content-Type", k)
		}, 400},
	} {
		if a := tt.answer(); a.status != tt.status {
			t.Errorf("a form %s = %d, want %d: %s", tt.fact, a.status, tt.status, a.words())
		}
	}
	if n := h.count(`SELECT count(*) FROM imports`); n != 0 {
		t.Errorf("imports = %d, want none", n)
	}
}

// TestUploadIsRefusedUnread sends the beginning of two gigabytes and never the
// rest: whoever may not send it is answered at once, and so is what is too large.
func TestUploadIsRefusedUnread(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Ada", models.Administrator))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	h.must(err)
	served := make(chan error, 1)
	go func() { served <- h.app.Listener(ln) }()
	defer func() {
		if err := h.app.ShutdownWithContext(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	}()
	begin, kind := fileForm("", "csrf", v.csrf(), "kind", "sales")
	begin = begin[:strings.Index(begin, "\r\n\r\n--")] + "\r\n\r\n"
	for _, tt := range []struct {
		fact, path, cookie, length, body string
		status                           int
	}{
		{"of nobody", "/imports", "", "Content-Length: 2147483648", "-", 303},
		{"too large by what it says", "/imports", v.jar["veinte_session"], "Content-Length: 2147483648", begin, 413},
		{"to the results endpoint", "/results/" + secret, "", "Content-Length: 2147483648", "", 413},
		{
			"to the results endpoint, in chunks", "/results/" + secret, "", "Transfer-Encoding: chunked",
			"200000\r\n" + strings.Repeat("x", 1<<20+1), 413,
		},
		{"to a form", "/login", "", "Content-Length: 1048577", "", 413},
	} {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: veinte.test\r\nContent-Type: %s\r\nCookie: veinte_session=%s\r\n"+
			"Sec-Fetch-Site: same-origin\r\n%s\r\n\r\n", tt.path, kind, tt.cookie, tt.length)
		go func() { _, _ = conn.Write([]byte(head + tt.body)) }()
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if a := readFrom(t, h, tt.fact, conn); a.status != tt.status {
			t.Errorf("2 GB %s = %d, want %d: %s", tt.fact, a.status, tt.status, a.words())
		}
		closed(t, tt.fact, conn)
	}
}

// closed fails unless the server has hung up.
func closed(t *testing.T, fact string, conn net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("%s: the connection is still open: %v", fact, err)
	}
	_ = conn.Close()
}
