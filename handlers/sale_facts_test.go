package handlers_test

import (
	"fmt"
	"testing"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// TestASalesPageShowsWhoToldWhat: a fact that another door filled in has its source
// beside it, and what contradicts the sale is shown.
func TestASalesPageShowsWhoToldWhat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	post := h.SalePost(h.Terminal.SerialNumber, 125000)
	post.Last4, post.AuthCode = "4242", ""
	h.Post(post)
	in := models.SaleInput{
		SerialNumber: post.SerialNumber, OrderID: post.OrderID, Amount: "1250.00", SoldAt: h.Clock.Now().Format("2006-01-02T15:04:05Z07:00"),
		Last4: "1111", AuthCode: "A7", Reference: "ticket 7",
	}
	got := modelstest.Record(t, h.Office, modelstest.RequestKey(), intake.Options{Source: models.SourceAPI}, in)[0]
	p := v.get(fmt.Sprintf("/sales/%d", got.SaleID)).want(200)
	p.says("A7 (de un programa: Punto de venta)")
	p.says("ticket 7 (de un programa: Punto de venta)")
	p.says("Otra fuente dice otra cosa")
	p.says("Tarjeta: 1111 (de un programa: Punto de venta)")
	p.says("4242")
}
