package reconciliation

import (
	"fmt"

	"veinte/models/database"
	"veinte/models/reconciliation/report"
)

// rowsAtOnce is how many lines or items are sent to the database at a time.
const rowsAtOnce = 4000

// rowBatch collects lines by column, so that one statement inserts all of them.
type rowBatch struct {
	numbers                                                []int32
	meanings, serials, merchants, orders, folios, auths    []string
	last4s, ats, days, problems, problemColumns, badValues []string
	amounts                                                []int64 // -1: none
}

func (b *rowBatch) add(r *report.ReportRow) {
	b.numbers = append(b.numbers, int32(r.Number))
	b.meanings = append(b.meanings, string(r.Meaning))
	b.serials = append(b.serials, r.SerialNumber)
	b.merchants = append(b.merchants, r.MerchantID)
	b.orders = append(b.orders, r.OrderID)
	b.folios = append(b.folios, r.Folio)
	b.auths = append(b.auths, r.AuthCode)
	b.last4s = append(b.last4s, r.Last4)
	b.amounts = append(b.amounts, orMinus(r.Amount))
	b.ats = append(b.ats, orNothing(r.At))
	b.days = append(b.days, string(r.Day))
	b.problems = append(b.problems, r.Problem)
	b.problemColumns = append(b.problemColumns, r.Column)
	b.badValues = append(b.badValues, r.Value)
}

// write sends the batch and empties the columns, which retain their memory.
func (b *rowBatch) write(t database.Tx, reconciliationID int64) error {
	if len(b.numbers) == 0 {
		return nil
	}
	_, err := t.SQL.ExecContext(t.Statement.Context, `INSERT INTO report_rows (reconciliation_id, number, meaning, serial_number, merchant_id,
			order_id, folio, auth_code, last4, amount, at, day, problem, problem_column, problem_value)
		SELECT $1, number, meaning, serial, merchant, order_id, folio, auth, last4, nullif(amount, -1),
			nullif(at, '')::timestamptz, nullif(day, '')::date, problem, problem_column, problem_value
		FROM unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
			$10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[])
			AS r (number, meaning, serial, merchant, order_id, folio, auth, last4, amount, at, day, problem, problem_column, problem_value)`,
		reconciliationID, b.numbers, b.meanings, b.serials, b.merchants, b.orders, b.folios, b.auths, b.last4s,
		b.amounts, b.ats, b.days, b.problems, b.problemColumns, b.badValues)
	if err != nil {
		return fmt.Errorf("keep lines of report: %w", err)
	}
	b.numbers, b.amounts = b.numbers[:0], b.amounts[:0]
	for _, column := range []*[]string{
		&b.meanings, &b.serials, &b.merchants, &b.orders, &b.folios, &b.auths,
		&b.last4s, &b.ats, &b.days, &b.problems, &b.problemColumns, &b.badValues,
	} {
		*column = (*column)[:0]
	}
	return nil
}
