package handlers_test

import (
	"context"
	"strings"
	"testing"
)

func TestBulkPaused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.Sale(100), h.Sale(200)
	v := h.supervisor()
	form := v.get(choosing(a, b)).want(200).bulkForm()
	h.must(h.Cancellations.Pause(context.Background(), h.Admin, "mantenimiento"))
	result := v.follow(v.post("/sales/cancellations", form)).want(200)
	result.says("están en pausa")
	if len(result.byTestID("again")) != 0 {
		t.Error("in a pause the outcome offers to ask again, which would be refused")
	}
	if attr(result.one("several-outcome"), "hx-get") == "" {
		t.Error("the outcome is not asked for again by itself, and would not offer it when the pause ends")
	}
	if strings.Contains(result.words(), "esta espera y se envía al reanudar") {
		t.Error("nothing was asked for, and the outcome says that it waits")
	}
	v.get(choosing(a, b)).want(200).says("No se puede cancelar ninguna de las elegidas")
	h.must(h.Cancellations.Resume(context.Background(), h.Admin, int64(h.count(`SELECT max(id) FROM pauses`))))
	if len(v.get(strings.TrimPrefix(result.what, "GET ")).want(200).byTestID("again")) != 1 {
		t.Error("what the pause refused may be asked for again after it, and is not offered")
	}
}
