package models

import (
	"slices"
	"strings"
	"time"
)

// ReportField is one thing that a line of a provider's report says of a sale.
type ReportField string

// The fields, in the order in which forms show them.
const (
	ReportOrderID      ReportField = "orderId"
	ReportSerialNumber ReportField = "serialNumber"
	ReportMerchantID   ReportField = "merchantId"
	ReportAmount       ReportField = "amount"
	ReportStatus       ReportField = "status" // operation or state: what its words mean is in Mapping.Words
	ReportSoldAt       ReportField = "soldAt" // date, or date and time
	ReportHour         ReportField = "hour"   // the time of day where it has a column of its own
	ReportFolio        ReportField = "folio"
	ReportAuthCode     ReportField = "authCode"
	ReportLast4        ReportField = "last4"
)

// ReportFields lists the fields.
var ReportFields = []ReportField{
	ReportOrderID, ReportSerialNumber, ReportMerchantID, ReportAmount, ReportStatus,
	ReportSoldAt, ReportHour, ReportFolio, ReportAuthCode, ReportLast4,
}

// ReportMeaning is what a line of a report is.
type ReportMeaning string

// The meanings of a line.
const (
	MeansSale         ReportMeaning = "sale"         // charged
	MeansCancellation ReportMeaning = "cancellation" // of the whole sale
	MeansReversal     ReportMeaning = "reversal"     // undone by the network: neither charged nor canceled
	MeansDeclined     ReportMeaning = "declined"     // never charged
	MeansIgnore       ReportMeaning = "ignore"       // says nothing of a sale: fees, sums, refunds
)

// ReportMeanings lists the meanings.
var ReportMeanings = []ReportMeaning{MeansSale, MeansCancellation, MeansReversal, MeansDeclined, MeansIgnore}

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

// DateStyle is the order in which a report writes a date. A date that begins
// with its year is read in each of them: it cannot be misunderstood.
type DateStyle string

// The styles of dates.
const (
	DatesISO           DateStyle = "iso" // 2026-11-20
	DatesDayMonthYear  DateStyle = "dmy" // 20/11/2026
	DatesMonthDayYear  DateStyle = "mdy" // 11/20/2026
	mostWords                    = 60
	mostColumnName               = 120
	fieldWords                   = "words"
	codeMappingInvalid           = "mapping.choice"
)

// DateStyles lists the styles.
var DateStyles = []DateStyle{DatesDayMonthYear, DatesMonthDayYear, DatesISO}

// Mapping says how to read a provider's report.
type Mapping struct {
	Columns map[ReportField]string `json:"columns"` // the header of the column that holds the field
	// Words are the values of the status column. A value that is not among them
	// makes its line one that cannot be understood.
	Words map[string]ReportMeaning `json:"words,omitempty"`
	// NegativeCancels: a negative amount is a cancellation.
	NegativeCancels bool `json:"negativeCancels"`
	// OneLine: each sale has one line that says how it ended. Otherwise a
	// cancellation is a line of its own beside that of the sale.
	OneLine bool        `json:"oneLine"`
	Amounts AmountStyle `json:"amounts"`
	Dates   DateStyle   `json:"dates"`
	Zone    string      `json:"zone"` // of times that name none
	// Cut is until when of its day the report is usually complete, 15:04 in the
	// zone of the cut-off; "" is the whole day.
	Cut string `json:"cut,omitempty"`
}

// check trims what was typed and refuses a mapping by which nothing could be
// compared. The fields of refusals are those of the form.
func (m Mapping) check() (Mapping, error) {
	columns := map[ReportField]string{}
	seen := map[string]ReportField{}
	for _, field := range ReportFields {
		name := strings.TrimSpace(m.Columns[field])
		if name == "" {
			continue
		}
		name, err := text(string(field), name, mostColumnName)
		if err != nil {
			return m, err
		}
		if _, twice := seen[fold(name)]; twice {
			return m, Invalid(string(field), "mapping.sameColumn")
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
	has := func(f ReportField) bool { return m.Columns[f] != "" }
	switch {
	case !has(ReportAmount):
		return Invalid(string(ReportAmount), "field.required")
	case !has(ReportOrderID) && !has(ReportFolio) && !has(ReportAuthCode):
		return Invalid(string(ReportOrderID), "mapping.noIdentity")
	case !has(ReportSerialNumber) && !has(ReportOrderID):
		return Invalid(string(ReportSerialNumber), "mapping.noTerminal")
	case !has(ReportStatus) && !m.NegativeCancels:
		return Invalid(string(ReportStatus), "mapping.noStatus")
	case has(ReportHour) && !has(ReportSoldAt):
		return Invalid(string(ReportSoldAt), "mapping.noDate")
	}
	return m.checkWords()
}

func (m *Mapping) checkWords() error {
	if m.Columns[ReportStatus] == "" {
		m.Words = nil
		return nil
	}
	if len(m.Words) > mostWords {
		return Invalid(fieldWords, "mapping.tooManyWords")
	}
	seen, said := map[string]bool{}, false
	for word, meaning := range m.Words {
		if _, err := text(fieldWords, word, mostColumnName); err != nil {
			return err
		}
		if !slices.Contains(ReportMeanings, meaning) {
			return Invalid(fieldWords, codeMappingInvalid)
		}
		if seen[fold(word)] {
			return Invalid(fieldWords, "mapping.sameWord")
		}
		seen[fold(word)] = true
		said = said || meaning == MeansSale || meaning == MeansCancellation
	}
	if !said {
		return Invalid(fieldWords, "mapping.noWords")
	}
	return nil
}

func (m *Mapping) checkStyles() error {
	switch {
	case !slices.Contains(AmountStyles, m.Amounts):
		return Invalid("amounts", codeMappingInvalid)
	case !slices.Contains(DateStyles, m.Dates):
		return Invalid("dates", codeMappingInvalid)
	}
	zone, err := ParseTimeZone(m.Zone)
	if err != nil {
		return Invalid("zone", "timeZone.invalid")
	}
	m.Zone, m.Cut = zone, strings.TrimSpace(m.Cut)
	if m.Cut != "" {
		if _, err := time.Parse("15:04", m.Cut); err != nil {
			return Invalid("cut", "mapping.cut")
		}
	}
	return nil
}

// folding takes away what does not make another word of it.
var folding = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n",
	"\ufeff", "", "\u00a0", " ", ".", " ", "_", " ", "-", " ", "/", " ", "#", " ")

// fold writes a header or a word as it is compared: without case, accents,
// punctuation and more than one space.
func fold(s string) string {
	return strings.Join(strings.Fields(folding.Replace(strings.ToLower(s))), " ")
}

// SameWord reports whether two words of a report are one as they are compared.
func SameWord(a, b string) bool { return fold(a) == fold(b) }
