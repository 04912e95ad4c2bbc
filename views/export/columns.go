package export

import (
	"cmp"
	"context"
	"time"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/models/audit/verify"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// exportColumn is a column of an exported trail. Its name is for programs and
// stays; its heading is in the reader's language.
type exportColumn struct {
	name, heading string
	width         float64 // in a workbook, in characters
}

// exportColumns are the columns of every file for people, in the order in which
// exportRow gives its cells. Codes have columns of their own beside their words.
var exportColumns = []exportColumn{
	{"n", "exportColumn.n", 7},
	{"id", "exportColumn.id", 10},
	{"at", "exportColumn.at", 32},
	{"local", "exportColumn.local", 19},
	{"action", "exportColumn.actionCode", 24},
	{"actionWord", "audit.action", 28},
	{"outcome", "exportColumn.outcomeCode", 11},
	{"outcomeWord", "audit.outcome", 12},
	{"actorId", "exportColumn.actorId", 9},
	{"actor", "audit.person", 24},
	{"role", "exportColumn.roleCode", 13},
	{"roleWord", "exportColumn.role", 20},
	{"onBehalfOf", "exportColumn.onBehalfOf", 18},
	{"storeNumber", "exportColumn.storeNumber", 9},
	{"store", "sales.store", 22},
	{"serialNumber", "terminal.serial", 13},
	{"saleId", "exportColumn.saleId", 10},
	{"orderId", "sales.order", 26},
	{"cancellationId", "exportColumn.caseId", 12},
	{"attempt", "exportColumn.attempt", 8},
	{"amount", "sales.amount", 12},
	{"currency", "exportColumn.currency", 8},
	{"reason", "exportColumn.reasonCode", 18},
	{"reasonWord", "audit.reason", 28},
	{"changes", "exportColumn.changes", 40},
	{"before", "exportColumn.before", 20},
	{"after", "exportColumn.after", 20},
	{"address", "exportColumn.address", 16},
	{"userAgent", "exportColumn.userAgent", 20},
	{"requestId", "exportColumn.requestId", 18},
	{"typed", "entry.typed", 24},
	{"leafHash", "exportColumn.leafHash", 46},
	{"check", "exportColumn.checkCode", 10},
	{"checkWord", "exportColumn.check", 34},
}

// cells takes a row cell by cell, so that no row is ever built.
type cells interface {
	text(s string)
	raw(b []byte) // JSON as it is kept; nil when there is none
	number(n int64)
	numberOf(n *int64) // nil when there is none
	amount(m *models.Money)
	instant(t time.Time) // ISO 8601 with its offset
	local(t time.Time)   // as people read it
}

// exportRow gives the cells of an entry, one per column.
func exportRow(c cells, in *exportWords, n int64, e *export.Entry) {
	c.number(n)
	c.number(e.ID)
	c.instant(e.At)
	c.local(e.At)
	c.text(string(e.Action))
	c.text(in.action(e.Action))
	c.text(string(e.Outcome))
	c.text(in.outcome(e.Outcome))
	c.numberOf(e.ActorID)
	if typed := words.Typed(&e.AuditEntry); typed != "" {
		c.text("")
	} else {
		c.text(e.ActorName)
	}
	c.text(string(e.ActorRole))
	c.text(in.role(e.ActorRole))
	c.text(e.OnBehalfOf)
	c.numberOf(e.StoreID)
	c.text(e.StoreName)
	c.text(e.SerialNumber)
	c.numberOf(e.SaleID)
	c.text(e.OrderID)
	c.numberOf(e.CancellationID)
	if e.AttemptNumber != nil {
		c.number(int64(*e.AttemptNumber))
	} else {
		c.numberOf(nil)
	}
	c.amount(e.Amount)
	if e.Amount != nil {
		c.text(exportCurrency)
	} else {
		c.text("")
	}
	c.text(e.Reason)
	c.text(in.reason(e.Reason))
	c.text(in.changes(&e.AuditEntry))
	c.raw(e.Before)
	c.raw(e.After)
	c.text(e.Address)
	c.text(e.UserAgent)
	c.text(e.RequestID)
	c.text(words.Typed(&e.AuditEntry))
	c.text(e.Leaf.String())
	c.text(checkOf(&e.Standing))
	c.text(in.check(&e.Standing))
}

// checkOf is the code of how an entry compares with what was sealed of it.
func checkOf(at *verify.Standing) string {
	switch {
	case at.Bytes:
		return "bytes"
	case at.Columns != "":
		return "columns"
	case at.Sealed:
		return "sealed"
	}
	return "unsealed"
}

// exportCurrency is that of every amount: the service knows no other.
const exportCurrency = "MXN"

// exportWords are the reader's words for codes, each looked up once.
type exportWords struct {
	ctx     context.Context
	reasons []models.Reason
	names   *words.AuditNames
	known   [5]map[string]string
	// changed are the words for what an entry changed, by exactly what it was
	// and became: most entries repeat a few moves.
	changed map[[2]string]string
}

// maxChanges bounds what is remembered, so that a trail in which no two entries
// are alike costs time and not memory.
const maxChanges = 2048

func newExportWords(ctx context.Context, head *ExportHead) *exportWords {
	w := &exportWords{ctx: ctx, reasons: head.Reasons, names: head.Names(), changed: map[[2]string]string{}}
	for i := range w.known {
		w.known[i] = map[string]string{}
	}
	return w
}

func (w *exportWords) word(kind int, code string, look func() string) string {
	if word, ok := w.known[kind][code]; ok {
		return word
	}
	word := look()
	if len(w.known[kind]) < maxChanges {
		w.known[kind][code] = word
	}
	return word
}

func (w *exportWords) action(a models.Action) string {
	return w.word(0, string(a), func() string { return words.ActionWord(w.ctx, a) })
}

func (w *exportWords) outcome(o models.Outcome) string {
	return w.word(1, string(o), func() string { return words.OutcomeWord(w.ctx, o) })
}

func (w *exportWords) role(r models.Role) string {
	return w.word(2, string(r), func() string { return ui.Maybe(w.ctx, "role.", string(r)) })
}

func (w *exportWords) reason(text string) string {
	if text == "" {
		return ""
	}
	return w.word(3, text, func() string { return words.ReasonText(w.ctx, w.reasons, text) })
}

// check says how an entry compares with what was sealed, in a word for nearly all of them.
func (w *exportWords) check(at *verify.Standing) string {
	code := checkOf(at)
	if code == "columns" {
		return locale.T(w.ctx, "exportCheck.columns", "Fields", cmp.Or(words.SealedColumns(w.ctx, at.Columns), at.Columns))
	}
	return w.word(4, code, func() string { return locale.T(w.ctx, "exportCheck."+code) })
}

// changes words what an entry changed: Estado: Solicitada → Enviada; …
func (w *exportWords) changes(e *models.AuditEntry) string {
	if len(e.Before) == 0 && len(e.After) == 0 {
		return ""
	}
	// A map's key made of bytes that are only looked up is not allocated.
	if text, ok := w.changed[[2]string{string(e.Before), string(e.After)}]; ok {
		return text
	}
	var b []byte
	for i, d := range w.names.InText(w.ctx, e) {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = append(append(b, d.Name...), ": "...)
		if d.Before != "" {
			b = append(append(b, d.Before...), " → "...)
		}
		if d.After == "" {
			d.After = locale.T(w.ctx, "audit.removed")
		}
		b = append(b, d.After...)
	}
	text := string(b)
	if len(w.changed) < maxChanges {
		w.changed[[2]string{string(e.Before), string(e.After)}] = text
	}
	return text
}
