package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/database"
)

// Correction is what the door that reported a sale says of it instead. What identifies
// a sale and its time cannot be corrected: such a sale is taken back and reported anew.
type Correction struct {
	Source models.SaleSource // the door: SourceAPI or SourceManual
	// Facts are the new values by name: the amount, and optional facts, which may
	// become empty. What is not named stays.
	Facts map[string]string
	Note  string // why, at most 500 characters; "" for no reason given
}

// CorrectableFacts are the facts that a correction may name.
var CorrectableFacts = func() []string {
	names := []string{"amount"}
	for i := range models.SaleFacts {
		if f := &models.SaleFacts[i]; f.Optional() {
			names = append(names, f.Name)
		}
	}
	return names
}()

// Why a sale can be neither corrected nor taken back.
var (
	ErrOtherDoor = &models.Error{Kind: models.KindConflict, Code: "sale.otherDoor"} // another one reported it, or reported it too
	ErrAsked     = &models.Error{Kind: models.KindConflict, Code: "sale.asked"}     // somebody asked to cancel it
)

// Correctable returns a sale that the door can correct or take back now.
//
// Errors: those of Correct.
func (s *Service) Correctable(
	ctx context.Context, actor models.Actor, saleID int64, source models.SaleSource,
) (sale *models.Sale, err error) {
	if err := mayChange(actor, source, ""); err != nil {
		return nil, err
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		sale, err = ownSale(ctx, t, actor, saleID, source)
		return err
	})
	return sale, err
}

// Correct changes what the door reported of a sale, and records what it was. A
// correction that changes nothing is not recorded. wrong is what is wrong with the new
// values.
//
// Errors: ErrForbidden, ErrNotFound, ErrOtherDoor, ErrAsked, what is wrong with the
// note.
func (s *Service) Correct(
	ctx context.Context, actor models.Actor, saleID int64, c Correction,
) (corrected *models.Sale, wrong []*models.Error, err error) {
	if err := mayChange(actor, c.Source, c.Note); err != nil {
		return nil, nil, err
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		before, err := ownSale(ctx, t, actor, saleID, c.Source)
		if err != nil {
			return err
		}
		now := s.clock.Now().Truncate(time.Microsecond) // since when it is locked
		after := *before
		corrected = &after
		if wrong = c.apply(corrected, now, s.window().Calendar); len(wrong) > 0 {
			return nil
		}
		return recordCorrection(t, actor, now, before, corrected, c.Note)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("correct sale %d: %w", saleID, err)
	}
	return corrected, wrong, nil
}

// TakeBack removes a sale that the door reported by mistake. It stays in undone_sales
// and in the trail.
//
// Errors: those of Correct.
func (s *Service) TakeBack(ctx context.Context, actor models.Actor, saleID int64, source models.SaleSource, note string) error {
	if err := mayChange(actor, source, note); err != nil {
		return err
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		sale, err := ownSale(ctx, t, actor, saleID, source)
		if err != nil {
			return err
		}
		now := s.clock.Now().Truncate(time.Microsecond) // since when it is locked
		store, err := storeOf(t, sale)
		if err != nil {
			return err
		}
		before := map[string]any{}
		sale.AddAttributes(before)
		about := audit.About{Sale: sale, Store: store, Before: before, Reason: strings.TrimSpace(note)}
		if err := audit.Record(t, actor, now, models.ActionSaleUndone, models.OutcomeSuccess, about); err != nil {
			return err
		}
		return undoSale(ctx, t, saleID, now)
	})
	if err != nil {
		return fmt.Errorf("take back sale %d: %w", saleID, err)
	}
	return nil
}

func undoSale(ctx context.Context, t database.Tx, id int64, now time.Time) error {
	var n int64
	err := t.SQL.QueryRowContext(ctx, `SELECT undo_sale($1, $2)`, id, now).Scan(&n)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == ForeignKeyViolation, err == nil && n == 0:
		return ErrOtherDoor
	case err != nil:
		return fmt.Errorf("undo it: %w", err)
	}
	return nil
}

// mayChange decides what can be decided without the sale.
func mayChange(actor models.Actor, source models.SaleSource, note string) error {
	switch {
	case source != models.SourceAPI && source != models.SourceManual:
		return ErrOtherDoor
	case !actor.May(Options{Source: source}.permission()):
		return models.ErrForbidden
	case utf8.RuneCountInString(note) > 500:
		return models.Invalid("note", "field.tooLong")
	case !models.Readable(note):
		return models.Invalid("note", "field.invalidText")
	case cards.Holds(note):
		return models.Invalid("note", "field.cardNumber")
	}
	return nil
}

// ownSale locks a sale that the door alone reported, and that nobody asked to cancel.
func ownSale(ctx context.Context, t database.Tx, actor models.Actor, id int64, source models.SaleSource) (*models.Sale, error) {
	list, err := database.TxRows[models.Sale](ctx, t, `SELECT * FROM sales WHERE id = $1 FOR UPDATE`, id)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0 || !actor.Sees(list[0].StoreID):
		return nil, models.ErrNotFound
	}
	sale := &list[0]
	var asked, others bool
	err = t.SQL.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM cancellations WHERE sale_id = $1),
			EXISTS (SELECT FROM results WHERE sale_id = $1) OR EXISTS (SELECT FROM sale_facts WHERE sale_id = $1 AND source <> $2)`,
		id, string(sale.Source)).Scan(&asked, &others)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for what depends on it: %w", err)
	case asked || sale.State != models.SaleCancelable:
		return nil, ErrAsked
	case sale.Source != source || sale.ReportedAgain || others:
		return nil, ErrOtherDoor
	}
	return sale, nil
}

// apply sets the new values, by the rules for a reported sale.
func (c Correction) apply(s *models.Sale, now time.Time, calendar models.Calendar) []*models.Error {
	in := models.SaleInput{
		SerialNumber: string(s.SerialNumber), MerchantID: s.MerchantID, OrderID: s.OrderID, Amount: s.Amount.Decimal(),
		SoldAt: s.SoldAt.Format(time.RFC3339Nano),
	}
	for _, name := range CorrectableFacts {
		text, named := c.Facts[name]
		if !named && name != "amount" {
			text = *models.Fact(name).Kept(s)
		}
		if named || name != "amount" {
			*in.Field(name) = text
		}
	}
	p := &problems{}
	if _, named := c.Facts["amount"]; named && c.Source == models.SourceManual {
		in.Amount = p.typedAmount(in.Amount)
	}
	parsed, others := parse(in, now, calendar)
	for _, o := range others {
		// What was recorded by an older rule is not what is corrected here.
		said := slices.ContainsFunc(p.list, func(e *models.Error) bool { return e.Field == o.Field })
		if _, named := c.Facts[o.Field]; named && !said {
			p.list = append(p.list, o)
		}
	}
	if len(p.list) > 0 {
		return p.list
	}
	s.Amount = parsed.Amount
	for _, name := range CorrectableFacts[1:] {
		*models.Fact(name).Kept(s) = *models.Fact(name).Kept(&parsed)
	}
	return nil
}

// recordCorrection writes the corrected sale and its entry, which has what changed.
func recordCorrection(t database.Tx, actor models.Actor, now time.Time, before, after *models.Sale, note string) error {
	was, is := map[string]any{}, map[string]any{}
	if before.Amount != after.Amount {
		was["amount"], is["amount"] = before.Amount, after.Amount
	}
	for _, name := range CorrectableFacts[1:] {
		f := models.Fact(name)
		if a, b := *f.Kept(before), *f.Kept(after); a != b {
			was[name], is[name] = a, b
		}
	}
	if len(is) == 0 {
		return nil
	}
	columns := []string{"amount", "last4", "card_brand", "auth_code", "folio", "reference"}
	if err := t.Model(after).Select(columns).Updates(after).Error; err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	store, err := storeOf(t, after)
	if err != nil {
		return err
	}
	about := audit.About{Sale: after, Store: store, Before: was, After: is, Reason: strings.TrimSpace(note)}
	return audit.Record(t, actor, now, models.ActionSaleCorrected, models.OutcomeSuccess, about)
}

func storeOf(t database.Tx, sale *models.Sale) (*models.Store, error) {
	var store models.Store
	if err := database.TakeRow(t.Where("id = ?", sale.StoreID), &store); err != nil {
		return nil, fmt.Errorf("name store %d: %w", sale.StoreID, err)
	}
	return &store, nil
}
