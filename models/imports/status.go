package imports

import (
	"encoding/json"
	"slices"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/table"
)

// Meaning is what a value of a status column says of its row.
type Meaning string

// The meanings.
const (
	MeansSale     Meaning = "sale"     // approved: charged
	MeansDeclined Meaning = "declined" // never charged
	MeansCanceled Meaning = "canceled" // charged, and undone since
	MeansOther    Meaning = "other"    // no sale: a refund, a fee, a sum
)

// Meanings lists the meanings in the order of the form.
var Meanings = []Meaning{MeansSale, MeansDeclined, MeansCanceled, MeansOther}

// LeftOut is the status of a row that is not imported because of what its file says
// of it: it is no sale, or no longer one.
const LeftOut intake.Status = "leftOut"

// statusColumns say whether a row is a sale. Providers' files have one for the kind
// of operation, one for how it ended, or both. Of several columns for one of them
// the first is read.
var statusColumns = []table.Column{
	{Name: "status", First: true, Synonyms: []string{
		"estado", "estatus", "situación", "resultado", "respuesta", "estado de la venta", "estatus de la venta",
		"estado de la transacción", "estatus de la transacción", "estado de la operación", "estatus de la operación",
		"transaction status", "result",
	}},
	{Name: "operation", First: true, Synonyms: []string{
		"operación", "movimiento", "tipo de operación", "tipo de transacción", "tipo de movimiento", "tipo transacción",
		"tipo operación", "tipo movimiento", "transaction type", "transacción",
	}},
}

// knownWords are the values of such columns in Spanish and English whose meaning is
// the same everywhere. Everything else is asked about.
var knownWords = func() map[string]Meaning {
	known := map[string]Meaning{}
	for meaning, words := range map[Meaning][]string{
		MeansSale: {
			"aprobada", "aprobado", "autorizada", "autorizado", "exitosa", "exitoso", "transacción exitosa", "completada", "completado",
			"pagada", "pagado", "cobrada", "cobrado", "capturada", "liquidada", "venta", "venta aprobada", "compra", "cargo", "cobro",
			"pago", "approved", "authorized", "authorised", "success", "successful", "succeeded", "completed", "complete", "paid",
			"captured", "settled", "sale", "purchase", "charge", "payment",
		},
		MeansDeclined: {
			"declinada", "declinado", "rechazada", "rechazado", "denegada", "denegado", "negada", "negado", "fallida", "fallido",
			"no aprobada", "no aprobado", "no autorizada", "no autorizado", "no exitosa", "venta declinada", "venta rechazada",
			"declined", "denied", "rejected", "refused", "failed", "failure", "not approved", "not authorized", "unsuccessful",
		},
		MeansCanceled: {
			"cancelada", "cancelado", "cancelación", "anulada", "anulado", "anulación", "reversada", "reversado", "reverso", "reversa",
			"venta cancelada", "cancelación de venta", "canceled", "cancelled", "cancellation", "cancelation", "cancel", "void", "voided",
			"reversal", "reversed",
		},
		MeansOther: {
			"devolución", "devuelta", "devuelto", "reembolso", "reembolsada", "reembolsado", "contracargo", "comisión",
			"refund", "refunded", "chargeback", "fee",
		},
	} {
		for _, word := range words {
			known[table.Fold(word)] = meaning
		}
	}
	return known
}()

// StatusWord is a value of a status column.
type StatusWord struct {
	Column  string  `json:"column"`
	Word    string  `json:"word"` // as in its first row, clipped; "" for empty cells
	Rows    int     `json:"rows"`
	Meaning Meaning `json:"meaning"` // "" until a person says it
	By      string  `json:"by"`      // the person; "" where the word is known
}

// maxStatusWords limits the values of a status column. A column of more is none, or
// no person could say what they mean.
const maxStatusWords = 40

// ErrStatusWords refuses a file whose status column has too many different values.
var ErrStatusWords = &FileError{Code: "import.tooManyWords"}

// StatusWords are the values of the file's status columns.
func (i *Import) StatusWords() []StatusWord {
	var words []StatusWord
	_ = json.Unmarshal(i.Statuses, &words) // written by us
	return words
}

// Unanswered reports whether a person has to say what a value means.
func (i *Import) Unanswered() bool {
	return slices.ContainsFunc(i.StatusWords(), func(w StatusWord) bool { return w.Meaning == "" })
}

// statusRule sorts the rows of a pass by their status columns.
type statusRule struct {
	meanings map[string]Meaning // by column and folded word
	canceled map[string]bool    // sales, by key, of which a row says that they were canceled
}

func wordKey(column, word string) string { return column + " " + table.Fold(word) }

// newStatusRule is nil for a file without a status column.
func newStatusRule(words []StatusWord) *statusRule {
	if len(words) == 0 {
		return nil
	}
	s := &statusRule{meanings: map[string]Meaning{}, canceled: map[string]bool{}}
	for _, w := range words {
		s.meanings[wordKey(w.Column, w.Word)] = w.Meaning
	}
	return s
}

// cancels reports whether rows of the file can say that a sale was canceled.
func (s *statusRule) cancels() bool {
	for _, m := range s.meanings {
		if m == MeansCanceled {
			return true
		}
	}
	return false
}

// read finds the value that decides about a row: the first that means no sale, else
// the first that nobody knows. A row without one is a sale.
func (s *statusRule) read(r *Row) (m Meaning, column, word string) {
	m = MeansSale
	for i, c := range statusColumns {
		at := len(saleCells) + 1 + i
		if at >= len(r.Values) {
			break
		}
		meaning, listed := s.meanings[wordKey(c.Name, r.Values[at])]
		switch {
		case !listed || meaning == MeansSale:
		case meaning != "":
			return meaning, c.Name, r.Values[at]
		case m == MeansSale:
			m, column, word = "", c.Name, r.Values[at]
		}
	}
	return m, column, word
}

// note remembers the sale of a row that says that it was canceled.
func (s *statusRule) note(r *Row) {
	if m, _, _ := s.read(r); m == MeansCanceled {
		s.canceled[saleKeyOf(r)] = true
	}
}

func saleKeyOf(r *Row) string { return r.Values[0] + " " + r.Values[2] } // serial number and order number

// apply leaves out a row that is no sale, and refuses one whose word nobody knows.
func (s *statusRule) apply(r *Row) {
	switch m, column, word := s.read(r); {
	case m == "":
		r.Status = intake.Refused
		r.Problems = append(r.Problems, Problem{Column: column, Code: "status.unknown", Detail: table.Shown(word)})
	case m != MeansSale:
		r.leaveOut(Problem{Column: column, Code: "status." + string(m), Detail: table.Shown(word)})
	case s.canceled[saleKeyOf(r)]:
		r.leaveOut(Problem{Code: "status.canceledElsewhere"})
	}
}

// leaveOut leaves out the row. What else is wrong with it does not matter any more.
func (r *Row) leaveOut(why Problem) {
	r.Status, r.Problems, r.Warnings, r.Notes = LeftOut, []Problem{why}, nil, nil
}

// errNoWord refuses answers that leave a value without a meaning.
var errNoWord = models.Invalid("words", "import.wordWithoutMeaning")
