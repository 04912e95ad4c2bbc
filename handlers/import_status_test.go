package handlers_test

import (
	"fmt"
	"net/url"
	"testing"

	"veinte/models"
)

// TestAFilesStatusIsAskedAbout: the page asks what a word means, in a form that needs
// no script, keeps what was chosen when an answer is missing, and names what is not
// imported.
func TestAFilesStatusIsAskedAbout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Ada", models.Administrator))
	line := func(order, status string) string {
		return fmt.Sprintf("%s;%s;1250;20/11/2026;11:59;%s\n", h.Terminal.SerialNumber, order, status)
	}
	imp := h.checkedFile("Ventas del día\nserie;orden;importe;fecha;hora;estado\n" +
		line("UNA", "En proceso") + line("DOS", "Declinada") + line("TRES", "Pendiente") + line("CUATRO", "Aprobada"))
	path := fmt.Sprintf("/imports/%d", imp.ID)
	p := v.get(path).want(200)
	p.saysAll("Qué significa “En proceso”", "Qué significa “Pendiente”", "Declinada: nunca se cobró.", "renglón 2",
		"hora de la sucursal", "Filas que no se importan por su estado", "Horas sin zona")
	form := url.Values{"version": {"2"}, "meaning-0": {"sale"}, "meaning-1": {"declined"}, "meaning-2": {"sale"}, "meaning-3": {""}}
	refused := v.post(path+"/status", form).want(422)
	refused.saysAll("Di qué significa cada texto del estado.")
	form.Set("meaning-3", "canceled")
	v.post(path+"/status", form).wantTo(path)
	h.must(h.Imports.RunImport(t.Context(), imp.ID))
	if got := h.count(`SELECT new_count * 10 + left_out_count FROM imports`); got != 22 {
		t.Errorf("new and left out = %d, want two each", got)
	}
	v.get(path).want(200).saysAll("Solo se importan las ventas aprobadas")
	// The column may be none: all rows are sales then.
	v.post(path+"/status", url.Values{"version": {"4"}, "all": {"sale"}}).wantTo(path)
	h.must(h.Imports.RunImport(t.Context(), imp.ID))
	if got := h.count(`SELECT new_count * 10 + left_out_count FROM imports`); got != 40 {
		t.Errorf("new and left out = %d, want four and none", got)
	}
}
