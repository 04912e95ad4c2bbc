package reconciliation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// itemBatch collects judged orders by column.
type itemBatch struct {
	kinds, resolves, verdicts, whys, bases, lines          []string
	serials, merchants, orders, folios, auths, last4s      []string
	ats, days, problems, problemColumns, badValues, states []string
	counts                                                 []int32
	amounts, stores, sales, ourAmounts                     []int64
}

func (b *itemBatch) add(i *ReportItem) {
	for _, to := range []struct {
		column *[]string
		value  string
	}{
		{&b.kinds, string(i.Kind)},
		{&b.resolves, string(i.Resolves)},
		{&b.verdicts, string(i.Verdict)},
		{&b.whys, i.Why},
		{&b.bases, string(i.Basis)},
		{&b.lines, arrayText(i.Lines)},
		{&b.serials, i.SerialNumber},
		{&b.merchants, i.MerchantID},
		{&b.orders, i.OrderID},
		{&b.folios, i.Folio},
		{&b.auths, i.AuthCode},
		{&b.last4s, i.Last4},
		{&b.ats, orNothing(i.At)},
		{&b.days, string(i.Day)},
		{&b.problems, i.Problem},
		{&b.problemColumns, i.ProblemColumn},
		{&b.badValues, i.ProblemValue},
		{&b.states, string(i.Ours)},
	} {
		*to.column = append(*to.column, to.value)
	}
	b.counts = append(b.counts, int32(i.LineCount))
	b.amounts = append(b.amounts, orMinus(i.Amount))
	b.stores, b.sales = append(b.stores, i.StoreID), append(b.sales, i.SaleID)
	b.ourAmounts = append(b.ourAmounts, orMinus(i.OurAmount))
}

// write sends the batch and empties it.
func (b *itemBatch) write(t database.Tx, reconciliationID int64) error {
	_, err := t.SQL.ExecContext(t.Statement.Context, `INSERT INTO report_items (
			reconciliation_id, kind, settles, verdict, why, basis, lines, line_count,
			serial_number, merchant_id, order_id, folio, auth_code, last4, amount, at, day, problem, problem_column, problem_value,
			store_id, sale_id, ours, our_amount)
		SELECT $1, kind, settles, verdict, why, basis, lines::integer[], line_count, serial, merchant, order_id, folio, auth, last4,
			nullif(amount, -1), nullif(at, '')::timestamptz, nullif(day, '')::date, problem, problem_column, problem_value,
			nullif(store_id, 0), nullif(sale_id, 0), ours, nullif(our_amount, -1)
		FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[], $11::text[],
			$12::text[], $13::text[], $14::text[], $15::bigint[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[],
			$21::bigint[], $22::bigint[], $23::text[], $24::bigint[])
			AS i (kind, settles, verdict, why, basis, lines, line_count, serial, merchant, order_id, folio, auth, last4,
				amount, at, day, problem, problem_column, problem_value, store_id, sale_id, ours, our_amount)`,
		reconciliationID, b.kinds, b.resolves, b.verdicts, b.whys, b.bases, b.lines, b.counts, b.serials, b.merchants, b.orders,
		b.folios, b.auths, b.last4s, b.amounts, b.ats, b.days, b.problems, b.problemColumns, b.badValues, b.stores, b.sales,
		b.states, b.ourAmounts)
	if err != nil {
		return fmt.Errorf("keep items of report: %w", err)
	}
	*b = itemBatch{}
	return nil
}

// arrayText writes numbers as PostgreSQL's text for an array.
func arrayText(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// intsOf parses the output of arrayText.
func intsOf(array string) []int {
	var numbers []int
	for _, s := range strings.Split(strings.Trim(array, "{}"), ",") {
		if n, err := strconv.Atoi(s); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// orMinus is an amount for a column of numbers: -1 stands for none.
func orMinus(m *models.Money) int64 {
	if m == nil {
		return -1
	}
	return int64(*m)
}

// orNothing is an instant for a column of texts: "" stands for none.
func orNothing(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
