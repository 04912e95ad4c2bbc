package results

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

//go:embed samples
var samples embed.FS

// sample reads one of the documented posts.
func sample(name string) document {
	text, err := samples.ReadFile("samples/" + name + ".json")
	if err != nil {
		panic(err) // embedded
	}
	return parseDocument(text)
}

// document is an object whose fields keep their order and may be there twice.
type document []docField

type docField struct{ name, raw string }

func parseDocument(text []byte) (d document) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	_, _ = decoder.Token() // the brace
	for decoder.More() {
		name, err := decoder.Token()
		var raw json.RawMessage
		if err != nil || decoder.Decode(&raw) != nil {
			panic("not an object: " + string(text))
		}
		d = append(d, docField{name.(string), string(raw)})
	}
	return d
}

func (d *document) set(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		name, raw := pairs[i].(string), jsonText(pairs[i+1])
		at := slices.IndexFunc(*d, func(f docField) bool { return f.name == name })
		if at < 0 {
			*d = append(*d, docField{name, raw})
			continue
		}
		(*d)[at].raw = raw
	}
}

func (d document) bytes() []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range d {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(f.name) + ":" + f.raw)
	}
	b.WriteByte('}')
	return []byte(b.String())
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of the experiment's own
	}
	return string(text)
}

// newSales begins the order numbers and folios of sales that fuzzed bodies may
// make known. No other body may name one.
const newSales = "nueva-"

// generator makes bodies; one for each connection.
type generator struct {
	*rand.Rand
	oracle *oracle
	made   int
	name   string // begins the numbers of what it makes up
	aside  int    // bodies that it did not let through
}

func pick[T any](g *generator, all []T) T { return all[g.IntN(len(all))] }

// next makes a body that may do nothing but what is expected of it: bring prey
// to its state, or make a new sale known. One that could do more is set aside.
func (g *generator) next() (body []byte, hits []*target) {
	for {
		g.made++
		body = g.body()
		hits = nil
		fit := true
		for _, e := range g.oracle.effects(body) {
			switch {
			case e.what == "sale":
				fit = fit && g.mayBeNew(body)
			case e.certain && e.target.prey == e.what:
				hits = append(hits, e.target)
			default:
				fit = false
			}
		}
		if fit {
			return body, hits
		}
		g.aside++
	}
}

// mayBeNew reports whether a sale's post can only be that of a new sale.
func (g *generator) mayBeNew(body []byte) bool {
	r := readBody(body)
	for _, name := range []string{"orderId", "folioNumber"} {
		for _, v := range r.values(name) {
			if !v.readable || !strings.HasPrefix(v.text, newSales) {
				return false
			}
		}
	}
	return !r.says("transType", "V") && len(r.fields["isRePrint"]) <= 1
}

func (g *generator) body() []byte {
	if g.IntN(150) == 0 {
		return g.forPrey()
	}
	var d document
	switch n := g.IntN(100); {
	case n < 15:
		d = g.forgery()
	case n < 45:
		d = g.nearMiss()
	case n < 60:
		d = g.refusal()
	case n < 75:
		d = g.inquiry()
	case n < 90:
		d = g.sale()
	case n < 95:
		d = sample("11_registration_test_post")
	default:
		return g.noise()
	}
	for range g.IntN(4) {
		g.mutate(&d)
	}
	body := d.bytes()
	if g.IntN(4) == 0 {
		body = g.harm(body)
	}
	return body
}

// about fills a document with what names a target.
func (g *generator) about(d *document, t *target) {
	d.set("orderId", t.sale.OrderID, "terminalId", t.sale.Serial, "storeId", t.merchant, "amount", t.sale.Amount,
		"folioNumber", t.folio, "traceability", map[string]any{})
}

// forgery is what somebody posts who knows all of the sale that a receipt says: a
// positive, or the answer to an inquiry that was never sent, without an id of ours.
func (g *generator) forgery() document {
	d := sample("06_cancel_result_approved")
	g.about(&d, pick(g, g.oracle.targets))
	switch g.IntN(8) {
	case 0:
		d.set("amount", "0.00")
	case 1:
		d.set("amount", "")
	case 2:
		d.set("orderId", "")
	case 3:
		d.set("traceability", map[string]any{"attemptId": ""})
	case 4:
		d.set("isRePrint", true, "reprintModule", "V")
	case 5:
		d.set("isRePrint", true, "reprintModule", "V", "traceability", trace(pick(g, forgeries(g.Rand))))
	}
	return d
}

// nearMiss is an approved cancellation with one thing wrong.
func (g *generator) nearMiss() document {
	t, other := pick(g, g.oracle.targets), pick(g, g.oracle.targets)
	d := sample("06_cancel_result_approved")
	g.about(&d, t)
	id := map[string]any{}
	if len(t.ids) > 0 {
		id = trace(pick(g, t.ids))
	}
	switch g.IntN(8) {
	case 0:
		d.set("traceability", trace(pick(g, forgeries(g.Rand))))
	case 1:
		d.set("traceability", id, "amount", g.otherAmount(t))
	case 2:
		d.set("traceability", id, "terminalId", pick(g, []any{other.sale.Serial, "1499999999", g.mutation()}))
	case 3:
		d.set("traceability", id, "orderId", pick(g, []any{other.sale.OrderID, "nadie-" + g.name, g.mutation()}))
	case 4:
		d.set("traceability", id, "responseCode", pick(g, []any{"", nil, "0", "000", 0, "OK", "00 00", true}))
	case 5:
		d.set("orderId", "", "folioNumber", pick(g, []any{"nadie", t.folio, other.folio, g.mutation()}))
	case 6:
		if len(other.ids) > 0 {
			d.set("traceability", trace(pick(g, other.ids)))
		}
	default:
		d.set("amount", g.otherAmount(t), "traceability", map[string]any{"idProducto": "123456"})
	}
	return d
}

func (g *generator) otherAmount(t *target) any {
	return pick(g, []any{
		"1.00", "0.00", "-" + t.sale.Amount, t.sale.Amount + "7", strings.Repeat("9", 1+g.IntN(60)), "1e400", "NaN",
		g.mutation(),
	})
}

// refusal is a refusal or an operation that was left, mostly with an attempt id
// that no longer counts.
func (g *generator) refusal() document {
	t := pick(g, g.oracle.targets)
	d := sample("06_cancel_result_approved")
	if g.IntN(2) == 0 {
		d = sample("10_user_cancelled_on_terminal")
	}
	amount := t.sale.Amount
	g.about(&d, t)
	if g.IntN(2) == 0 {
		amount, _ = g.otherAmount(t).(string)
	}
	d.set("responseCode", pick(g, []string{"05", "51", "94", "58", "02"}), "authCode", "", "amount", amount)
	switch g.IntN(4) {
	case 0:
		d.set("traceability", trace(pick(g, forgeries(g.Rand))))
	case 1, 2:
		if len(t.ids) > 0 {
			d.set("traceability", trace(pick(g, t.ids)))
		}
	}
	return d
}

func (g *generator) inquiry() document {
	t := pick(g, g.oracle.targets)
	d := sample("08_reprint_result_sale_active")
	g.about(&d, t)
	d.set("isRePrint", true, "reprintModule", pick(g, []any{"C", "C", "C", "D", "RV", "PRV", "X", "", nil, "V"}))
	if g.IntN(3) == 0 {
		d.set("traceability", trace(pick(g, forgeries(g.Rand))))
	}
	if g.IntN(2) == 0 {
		d.set("amount", g.otherAmount(t))
	}
	return d
}

// sale is a sale that is known, perhaps with another amount, or a new one.
func (g *generator) sale() document {
	t := pick(g, g.oracle.targets)
	d := sample("04_sale_result_approved")
	g.about(&d, t)
	switch g.IntN(3) {
	case 0:
		d.set("amount", g.otherAmount(t), "reprintModule", "V")
	case 1:
		number := newSales + g.name + strconv.Itoa(g.made)
		d.set("orderId", number, "folioNumber", number, "amount", fmt.Sprintf("%d.%d", 1+g.IntN(5000), g.IntN(100)))
	}
	return d
}

// forPrey is what a terminal really said, with much changed that does not matter.
func (g *generator) forPrey() []byte {
	var prey []*target
	for _, t := range g.oracle.targets {
		if t.prey != "" {
			prey = append(prey, t)
		}
	}
	t := pick(g, prey)
	d := parseDocument(t.truth)
	essential := []string{"responseCode", "transType", "traceability", "isRePrint", "orderId", "terminalId", "amount"}
	d = slices.DeleteFunc(d, func(f docField) bool { return !slices.Contains(essential, f.name) && g.IntN(8) == 0 })
	for range g.IntN(4) {
		d.set(pick(g, []string{"message", "ticketDate", "transDate", "customerName", "campoNuevo", "storeName"}), g.text())
	}
	g.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
	return d.bytes()
}
