package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
)

// TestTerminalsImportInTheBrowser goes the whole way: upload, check, confirm, undo.
func TestTerminalsImportInTheBrowser(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	v.get("/imports/new?kind=terminals").want(200).saysAll(
		"Importar terminales", "storeName", "Una clave de sucursal que no existe es un error",
	)
	give := func(content string) (path string, id int64) {
		t.Helper()
		body, kind := fileForm(content, "csrf", v.csrf(), "kind", "terminals")
		a := v.send("POST", "/imports", body, "Content-Type", kind, "Origin", "http://veinte.test", "Sec-Fetch-Site", "same-origin")
		path = a.want(303).header.Get("Location")
		_, err := fmt.Sscanf(path, "/imports/%d", &id)
		h.must(err)
		h.must(h.Imports.RunImport(t.Context(), id))
		return path, id
	}
	path, _ := give(
		"Serie;Id. de comercio;Sucursal;Nombre;Nombre de la sucursal\n12345;M1;NADIE-9;Caja 1;\n0149000001;M2;NUEVA-1;Caja 2;Nueva\n",
	)
	v.get(path).want(200).saysAll("Se revisaron 2 renglones", "Renglón 2", "diez dígitos", "Ninguna sucursal tiene esa clave", "NADIE-9")
	v.post(path+"/confirmation", url.Values{"version": {"2"}}).want(409)
	if n := h.count(`SELECT count(*) FROM terminals`); n != 1 {
		t.Errorf("%d terminals although a row is wrong, want the one there was", n)
	}
	path, id := give("Serie;Id. de comercio;Sucursal;Nombre;Nombre de la sucursal\n0149000001;M2;NUEVA-1;Caja 2;Nueva\n")
	v.get(path).want(200).saysAll("Importar 1 terminal", "0149000001")
	v.post(path+"/confirmation", url.Values{"version": {"2"}}).wantTo(path)
	h.must(h.Imports.RunImport(t.Context(), id))
	v.get(path).want(200).saysAll("Se importó", "Deshacer la importación")
	if got := v.get("/terminals?q=0149000001").attrs("terminal", "data-serial"); len(got) != 1 {
		t.Errorf("the list has %v, want the new terminal", got)
	}
	v.get("/audit?action=terminals.imported").says("Terminales importadas de un archivo")
	h.Post(h.SalePost(models.SerialNumber("0149000001"), 100))
	v.post(path+"/undoing", url.Values{"version": {"4"}}).want(409).says("ya se usa")
	path, id = give("Serie;Id. de comercio;Sucursal\n0149000002;M3;NUEVA-1\n")
	v.post(path+"/confirmation", url.Values{"version": {"2"}}).wantTo(path)
	h.must(h.Imports.RunImport(t.Context(), id))
	v.post(path+"/undoing", url.Values{"version": {"4"}}).wantTo(path)
	if p := v.get("/terminals?q=0149000002"); len(p.byTestID("terminal")) != 0 ||
		!strings.Contains(p.words(), "Ninguna terminal coincide") {
		t.Errorf("after the undo the list shows %v", p.attrs("terminal", "data-serial"))
	}
}
