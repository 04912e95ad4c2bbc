package results

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
)

// cards are card numbers that fuzzed bodies put where none belongs. Nothing but
// the last four digits may be found of them afterwards.
// They carry a card number's check digit: an order number of sixteen digits that
// does not is taken for what it says.
var cards = []string{"4012888888881881", "4012 8888 8888 1881", "4012-8888-8888-1881", "5105105105105100", "371449635398431"}

// planted are fields in which card numbers and attempt ids are put.
var planted = []string{
	"cardNumber", "bin", "message", "folioNumber", "storeId", "authCode", "cardTypeName", "responseCode", "terminalId",
	"customerName", "storeName", "hostRefNum", "campoNuevo", "traceability", "amount", "ticketDate",
}

// text is a text that somebody did not think of.
func (g *generator) text() string {
	return pick(g, []string{
		"", " ", "\u0000", "a\u0000b", "\r\n", "\u2028", "ñandú ☂ 漢字", "\U0001F4B3", "\u202e00", "＄１２", "'; DROP TABLE sales; --", "<script>",
		"%s%n", "../../etc/passwd", "JUN. 27, 25 13:49:38 ", "2022-10-08 11:24:47.CDT", "0000-00-00", "9999-99-99T99:99:99Z",
		strings.Repeat("x", 1+g.IntN(500)), strings.Repeat("é", 160), pick(g, cards),
	})
}

// oddity is a value of a type that nobody documents for its field.
func (g *generator) mutation() any {
	return pick(g, []any{
		nil, true, false, 0, -1, 1.5, json.Number("1e400"), json.Number(strings.Repeat("9", 1+g.IntN(300))),
		[]any{},
		[]any{nil, []any{1}},
		map[string]any{},
		map[string]any{"a": map[string]any{"b": []any{1, "2"}}},
		g.text(), g.text(),
	})
}

// mutate changes the structure of a document in one place.
func (g *generator) mutate(d *document) {
	if len(*d) == 0 {
		return
	}
	at := g.IntN(len(*d))
	f := (*d)[at]
	switch g.IntN(10) {
	case 0:
		*d = slices.Delete(*d, at, at+1)
	case 1:
		*d = slices.Insert(*d, g.IntN(len(*d)), docField{f.name, jsonText(g.mutation())})
	case 2, 3:
		(*d)[at].raw = jsonText(g.mutation())
	case 4:
		(*d)[at].raw = pick(g, []string{"[" + f.raw + "]", `{"v":` + f.raw + "}", jsonText(f.raw)})
	case 5:
		(*d)[at].name = pick(g, []string{strings.ToUpper(f.name), f.name + " ", g.text(), "attemptId"})
	case 6:
		d.set(pick(g, planted), pick(g, cards))
	case 7:
		if t := pick(g, g.oracle.targets); len(t.ids) > 0 {
			d.set(pick(g, planted[2:]), "id "+pick(g, t.ids))
		}
	case 8:
		d.set(pick(g, []string{"isRePrint", "transType", "responseCode", "reprintModule"}),
			pick(g, []any{true, false, "true", 1, "V", "A", "", "00", "05", "C", "v", nil}))
	default:
		deep := 1 + g.IntN(40)
		d.set(pick(g, []string{f.name, "campoNuevo"}), json.RawMessage(strings.Repeat("[", deep)+strings.Repeat("]", deep)))
	}
}

// harm harms the bytes of a body.
func (g *generator) harm(body []byte) []byte {
	at := g.IntN(len(body) + 1)
	switch g.IntN(11) {
	case 0, 1:
		return body[:at]
	case 2:
		return slices.Insert(body, at, 0)
	case 3:
		return slices.Insert(body, at, pick(g, [][]byte{{0xff}, {0xc3}, {0xed, 0xa0, 0x80}, {0xf5, 0x80, 0x80, 0x80}})...)
	case 4:
		return append([]byte("\ufeff"), body...)
	case 5:
		return append(body, pick(g, []string{"}", "]", "{}", "null", "\x00", " \n", ","})...)
	case 6:
		return []byte("[" + string(body) + "]")
	case 7:
		return []byte(jsonText(string(body)))
	case 8:
		return append(bytes.Repeat([]byte(" "), g.size()), body...)
	case 9:
		deep := 1 + g.IntN(20000)
		return []byte(strings.Repeat(`{"traceability":`, deep) + string(body) + strings.Repeat("}", g.IntN(deep+1)))
	default:
		if len(body) > 0 {
			body[g.IntN(len(body))] ^= byte(1 << g.IntN(8))
		}
		return body
	}
}

// size is a number of bytes, seldom near the most that is read, and seldom near
// the most that is answered.
func (g *generator) size() int {
	switch g.IntN(200) {
	case 0:
		return 1<<20 - 8192 - g.IntN(4096)
	case 1, 2, 3, 4:
		return 64<<10 - 4096 + g.IntN(8192)
	default:
		return g.IntN(2000)
	}
}

// noise is no post at all.
func (g *generator) noise() []byte {
	switch g.IntN(6) {
	case 0:
		return nil
	case 1:
		return []byte(pick(g, []string{"null", "[]", "{}", "0", `""`, "true", "{", "[", "<html></html>", "orderId=1&transType=V", "\x00"}))
	case 2:
		return []byte(strings.Repeat(pick(g, []string{"[", `{"a":`, "{", "\"", "\\"}), 1+g.IntN(30000)))
	case 3:
		noise := make([]byte, g.size())
		for i := range noise {
			noise[i] = byte(g.Uint32())
		}
		return noise
	case 4:
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(sample("06_cancel_result_approved").bytes())
		_ = w.Close()
		return b.Bytes()[:g.IntN(b.Len()+1)]
	default:
		return []byte(jsonText(g.mutation()))
	}
}

// dress chooses what a request says of its body.
func (g *generator) dress(req *http.Request) {
	kind := pick(g, []string{
		"application/json", "application/json", "application/json", "application/json; charset=utf-8", "application/json; charset=iso-8859-1",
		"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data", "application/xml",
		"application/octet-stream", "image/png", "",
	})
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if g.IntN(20) == 0 {
		req.Header.Set("Content-Encoding", pick(g, []string{"gzip", "br", "deflate", "zstd", "nonsense", "gzip, gzip"}))
	}
	if g.IntN(10) == 0 {
		req.ContentLength = -1 // chunked
	}
}

// trace is a traceability that carries an attempt id.
func trace(id any) map[string]any { return map[string]any{"attemptId": id} }

// forgeries are attempt ids that we never gave, the first in the shape of one.
func forgeries(random *rand.Rand) []any {
	a, b := random.Uint64(), random.Uint64()
	id := fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
	return []any{
		id, strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "1", strings.Repeat(id, 8), id + "\x00", " ",
		123456, 1.5, true,
		[]any{id},
		map[string]any{"attemptId": id},
	}
}
