package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/cards"
)

// Where is the condition under which an entry matches a filter within the actor's
// scope: SQL on the columns of audit_entries, "true" for all of them, with arguments
// $1 and so on. Days are those of the zone. The cursor is not part of it: it is a
// position, not a condition.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope,
// auditFilter.toBeforeFrom, auditFilter.maxBelowMin.
func Where(actor models.Actor, f Filter, zone *time.Location) (sql string, args []any, err error) {
	w, err := fieldsClause(actor, f, zone)
	if err != nil {
		return "", nil, err
	}
	words := f.wordsQuery()
	w.add(words != "", terms+" @@ %s::tsquery", words)
	return w.sql(), w.args, nil
}

// fieldsClause is Where without the words.
func fieldsClause(actor models.Actor, f Filter, zone *time.Location) (w clause, err error) {
	switch {
	case !actor.May(models.ReadAudit):
		return w, models.ErrForbidden
	case f.StoreID != 0 && !actor.Sees(f.StoreID):
		return w, models.ErrNotFound
	case cards.InReference(f.Query, time.Time{}):
		return w, models.Invalid("q", "field.cardNumber")
	case cards.InReference(f.Reason, time.Time{}):
		return w, models.Invalid("reason", "field.cardNumber")
	case f.From != "" && f.To != "" && f.To < f.From:
		return w, models.Invalid("to", "auditFilter.toBeforeFrom")
	case f.Min != nil && f.Max != nil && *f.Max < *f.Min:
		return w, models.Invalid("max", "auditFilter.maxBelowMin")
	}
	w.add(f.StoreID != 0, "(store_id = %s OR "+movedAwaySQL+")", f.StoreID, f.StoreID)
	w.add(!actor.AllStores, "(store_id = ANY(%s) OR "+OwnEntrySQL+")",
		slices.Clone(actor.StoreIDs), actor.UserID, actor.Program())
	w.add(f.Serial != "", "serial_number = %s", string(f.Serial))
	w.add(f.ActorID != 0, "actor_id = %s", f.ActorID)
	w.add(f.Role != "", "actor_role = %s", string(f.Role))
	w.add(f.Action != "", "action = %s", string(f.Action))
	w.add(f.Outcome != "", "outcome = %s", string(f.Outcome))
	w.add(f.Reason != "", "(reason = %s OR starts_with(reason, %s))", f.Reason, f.Reason+": ")
	if f.Min != nil {
		w.add(true, "amount >= %s", int64(*f.Min))
	}
	if f.Max != nil {
		w.add(true, "amount <= %s", int64(*f.Max))
	}
	w.add(f.Address != "", "address = %s", f.Address)
	w.add(f.Attempt != 0, "attempt_number = %s", f.Attempt)
	w.add(f.Reads == ReadsOut, "action <> ALL(%s)", readActions)
	w.add(f.SaleID != 0, "sale_id = %s", f.SaleID)
	from, before := f.period(zone)
	w.add(!from.IsZero(), "at >= %s", from)
	w.add(!before.IsZero(), "at < %s", before)
	w.add(f.Query != "" && (f.wordsQuery() == "" || !models.Storable(f.Query)), "false") // a query without words matches nothing
	return w, nil
}

// movedAwaySQL is the condition under which an entry is a move away from a store. A move's
// own store is the one that it leads to; the one that it leads away from is in its
// attributes by name, as it was called then.
const movedAwaySQL = `action IN ('` + string(models.ActionTerminalMoved) + `', '` + string(models.ActionMovePlanned) + `')
	AND before->>'store' = ANY ((SELECT store_names(%s))::text[])`

// OwnEntrySQL is the condition under which an entry is the user's own, by their
// number and Actor.program. People's and programs' numbers come from one sequence,
// and the schema makes sure that no two are equal (00010). The check of the role is
// a second safeguard against showing another store's entries, and costs nothing for
// one more row.
const OwnEntrySQL = "actor_id = %s AND (actor_role = '" + string(models.Integration) + "') = %s"

// clause joins conditions and numbers their arguments in order.
type clause struct {
	all  []string
	args []any
}

func (w *clause) add(when bool, condition string, args ...any) {
	if !when {
		return
	}
	numbers := make([]any, len(args))
	for i, a := range args {
		w.args = append(w.args, a)
		numbers[i] = "$" + strconv.Itoa(len(w.args))
	}
	w.all = append(w.all, fmt.Sprintf(condition, numbers...))
}

func (w clause) clone() clause {
	return clause{all: slices.Clone(w.all), args: slices.Clone(w.args)}
}

func (w *clause) sql() string {
	if len(w.all) == 0 {
		return "true"
	}
	return strings.Join(w.all, " AND ")
}
