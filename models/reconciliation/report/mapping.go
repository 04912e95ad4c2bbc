package report

import (
	"slices"
	"strings"
	"time"

	"veinte/models"
)

// Field is a piece of data in a line of a provider's report.
type Field string

// The fields, in the order in which forms show them.
const (
	FieldOrderID      Field = "orderId"
	FieldSerialNumber Field = "serialNumber"
	FieldMerchantID   Field = "merchantId"
	FieldAmount       Field = "amount"
	FieldStatus       Field = "status" // operation or state: the meaning of its words is in Mapping.Words
	FieldSoldAt       Field = "soldAt" // date, or date and time
	FieldHour         Field = "hour"   // the time of day where it has its own column
	FieldFolio        Field = "folio"
	FieldAuthCode     Field = "authCode"
	FieldLast4        Field = "last4"
)

// Fields lists the fields.
var Fields = []Field{
	FieldOrderID, FieldSerialNumber, FieldMerchantID, FieldAmount, FieldStatus,
	FieldSoldAt, FieldHour, FieldFolio, FieldAuthCode, FieldLast4,
}

// Meaning is what a line of a report is.
type Meaning string

// The meanings of a line.
const (
	MeansSale         Meaning = "sale"         // charged
	MeansCancellation Meaning = "cancellation" // of the whole sale
	MeansReversal     Meaning = "reversal"     // undone by the network: neither charged nor canceled
	MeansDeclined     Meaning = "declined"     // never charged
	MeansIgnore       Meaning = "ignore"       // not about a sale: fees, sums, refunds
)

// Meanings lists the meanings.
var Meanings = []Meaning{MeansSale, MeansCancellation, MeansReversal, MeansDeclined, MeansIgnore}

// AmountStyle is how a report writes amounts.
type AmountStyle string

// The styles of amounts.
const (
	AmountsPoint    AmountStyle = "point"    // 1,250.00
	AmountsComma    AmountStyle = "comma"    // 1.250,00
	AmountsCentavos AmountStyle = "centavos" // 125000
)

// AmountStyles lists the styles.
var AmountStyles = []AmountStyle{AmountsPoint, AmountsComma, AmountsCentavos}

// DateStyle is the order in which a report writes a date. A date that begins with
// its year is read in every style, because it is unambiguous.
type DateStyle string

// The styles of dates.
const (
	DatesISO           DateStyle = "iso" // 2026-11-20
	DatesDayMonthYear  DateStyle = "dmy" // 20/11/2026
	DatesMonthDayYear  DateStyle = "mdy" // 11/20/2026
	MaxWords                     = 60
	maxColumnName                = 120
	fieldWords                   = "words"
	codeMappingInvalid           = "mapping.choice"
)

// DateStyles lists the styles.
var DateStyles = []DateStyle{DatesDayMonthYear, DatesMonthDayYear, DatesISO}

// Mapping describes how to read a provider's report.
type Mapping struct {
	Columns map[Field]string `json:"columns"` // the header of the column that holds the field
	// Words are the values of the status column. A line with any other value is a
	// line with a problem.
	Words map[string]Meaning `json:"words,omitempty"`
	// NegativeCancels: a negative amount is a cancellation.
	NegativeCancels bool `json:"negativeCancels"`
	// OneLine: each sale has one line that states how it ended. Otherwise a
	// cancellation has its own line beside that of the sale.
	OneLine bool        `json:"oneLine"`
	Amounts AmountStyle `json:"amounts"`
	Dates   DateStyle   `json:"dates"`
	Zone    string      `json:"zone"` // of times without a zone
	// CompleteUntil is the time of its day until which the report is usually
	// complete, 15:04 in the zone of the cut-off; "" is the whole day.
	CompleteUntil string `json:"cut,omitempty"`
}

// Check trims the input and refuses a mapping that cannot be used to compare. The
// fields of refusals are those of the form.
func (m Mapping) Check() (Mapping, error) {
	columns := map[Field]string{}
	seen := map[string]Field{}
	for _, field := range Fields {
		name := strings.TrimSpace(m.Columns[field])
		if name == "" {
			continue
		}
		name, err := models.Text(string(field), name, maxColumnName)
		if err != nil {
			return m, err
		}
		if _, twice := seen[fold(name)]; twice {
			return m, models.Invalid(string(field), "mapping.sameColumn")
		}
		seen[fold(name)], columns[field] = field, name
	}
	m.Columns = columns
	if err := m.checkColumns(); err != nil {
		return m, err
	}
	return m, m.checkStyles()
}

func (m *Mapping) checkColumns() error {
	has := func(f Field) bool { return m.Columns[f] != "" }
	switch {
	case !has(FieldAmount):
		return models.Invalid(string(FieldAmount), "field.required")
	case !has(FieldOrderID) && !has(FieldFolio) && !has(FieldAuthCode):
		return models.Invalid(string(FieldOrderID), "mapping.noIdentity")
	case !has(FieldSerialNumber) && !has(FieldOrderID):
		return models.Invalid(string(FieldSerialNumber), "mapping.noTerminal")
	case !has(FieldStatus) && !m.NegativeCancels:
		return models.Invalid(string(FieldStatus), "mapping.noStatus")
	case has(FieldHour) && !has(FieldSoldAt):
		return models.Invalid(string(FieldSoldAt), "mapping.noDate")
	}
	return m.checkWords()
}

func (m *Mapping) checkWords() error {
	if m.Columns[FieldStatus] == "" {
		m.Words = nil
		return nil
	}
	if len(m.Words) > MaxWords {
		return models.Invalid(fieldWords, "mapping.tooManyWords")
	}
	seen, said := map[string]bool{}, false
	for word, meaning := range m.Words {
		if _, err := models.Text(fieldWords, word, maxColumnName); err != nil {
			return err
		}
		if !slices.Contains(Meanings, meaning) {
			return models.Invalid(fieldWords, codeMappingInvalid)
		}
		if seen[fold(word)] {
			return models.Invalid(fieldWords, "mapping.sameWord")
		}
		seen[fold(word)] = true
		said = said || meaning == MeansSale || meaning == MeansCancellation
	}
	if !said {
		return models.Invalid(fieldWords, "mapping.noWords")
	}
	return nil
}

func (m *Mapping) checkStyles() error {
	switch {
	case !slices.Contains(AmountStyles, m.Amounts):
		return models.Invalid("amounts", codeMappingInvalid)
	case !slices.Contains(DateStyles, m.Dates):
		return models.Invalid("dates", codeMappingInvalid)
	}
	zone, err := models.ParseTimeZone(m.Zone)
	if err != nil {
		return models.Invalid("zone", "timeZone.invalid")
	}
	m.Zone, m.CompleteUntil = zone, strings.TrimSpace(m.CompleteUntil)
	if m.CompleteUntil != "" {
		if _, err := time.Parse("15:04", m.CompleteUntil); err != nil {
			return models.Invalid("cut", "mapping.cut")
		}
	}
	return nil
}

// folding removes accents and other marks that do not change a word.
var folding = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n",
	"\ufeff", "", "\u00a0", " ", ".", " ", "_", " ", "-", " ", "/", " ", "#", " ")

// fold normalizes a header or a word for comparing: without case, accents,
// punctuation and repeated spaces.
func fold(s string) string {
	return strings.Join(strings.Fields(folding.Replace(strings.ToLower(s))), " ")
}

// SameWord reports whether two words of a report are equal after folding.
func SameWord(a, b string) bool { return fold(a) == fold(b) }
