package audit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// About is what an audit entry refers to. Empty fields are left out.
type About struct {
	Store          *models.Store
	Sale           *models.Sale
	Terminal       models.SerialNumber
	CancellationID int64
	Attempt        int
	Before         any
	After          any
	Reason         string
}

// Record adds an entry to the trail, in the transaction of the act it records. If
// the entry cannot be written, the act does not happen.
func Record(t database.Tx, actor models.Actor, now time.Time, action models.Action, outcome models.Outcome, a About) error {
	e, err := NewEntry(actor, now, action, outcome, a)
	if err != nil {
		return err
	}
	if err := t.Create(&e).Error; err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	t.LastWrite.Last = database.EntryRow(&e)
	return nil
}

// RecordAlone records an act that changes nothing else, in one round trip. After an error
// the entry may be there all the same: the trail then says more than happened.
func RecordAlone(
	ctx context.Context, db *database.DB, actor models.Actor, now time.Time, action models.Action, outcome models.Outcome, a About,
) error {
	e, err := NewEntry(actor, now, action, outcome, a)
	if err != nil {
		return err
	}
	if err := db.Insert(ctx, &e); err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	return nil
}

// entriesAtOnce limits a statement to less than the 65,535 parameters that it may
// have.
const entriesAtOnce = 1000

// RecordAll adds many entries with few statements.
func RecordAll(t database.Tx, entries []models.AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := t.CreateInBatches(&entries, entriesAtOnce).Error; err != nil {
		return fmt.Errorf("record %d entries: %w", len(entries), err)
	}
	t.LastWrite.Last = database.EntryRow(&entries[len(entries)-1])
	return nil
}

// NewEntry makes the entry of an act, with its canonical bytes.
func NewEntry(actor models.Actor, now time.Time, action models.Action, outcome models.Outcome, a About) (models.AuditEntry, error) {
	e := models.AuditEntry{
		At: now.UTC().Truncate(time.Microsecond), ActorName: actor.Name, ActorRole: actor.Role,
		OnBehalfOf: actor.OnBehalfOf, Action: action, Outcome: outcome,
		SerialNumber: string(a.Terminal), Reason: a.Reason,
		Address: actor.Address, UserAgent: models.Legible(actor.UserAgent, 200), RequestID: models.Legible(actor.RequestID, 100),
	}
	if actor.UserID != 0 {
		e.ActorID = &actor.UserID
	}
	if a.Store != nil {
		e.StoreID, e.StoreName = &a.Store.ID, a.Store.Name
	}
	if a.Sale != nil {
		e.SaleID, e.OrderID, e.Amount = &a.Sale.ID, a.Sale.OrderID, &a.Sale.Amount
		e.SerialNumber = string(a.Sale.SerialNumber)
	}
	if a.CancellationID != 0 {
		e.CancellationID = &a.CancellationID
	}
	if a.Attempt != 0 {
		e.AttemptNumber = &a.Attempt
	}
	var err error
	if e.Before, err = object(a.Before); err != nil {
		return e, err
	}
	if e.After, err = object(a.After); err != nil {
		return e, err
	}
	e.Canonical, err = canonical(&e)
	return e, err
}

// object encodes the attributes before or after an act; nil stays NULL.
func object(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode audit entry: %w", err)
	}
	return b, nil
}

// canonicalEntry is an entry as its bytes have it, in the order of their fields.
type canonicalEntry struct {
	Version      int             `json:"v"`
	Nonce        string          `json:"nonce"`
	At           string          `json:"at"`
	ActorID      *int64          `json:"actorId,omitempty"`
	Actor        string          `json:"actor"`
	Role         models.Role     `json:"role"`
	OnBehalfOf   string          `json:"onBehalfOf,omitempty"`
	Action       models.Action   `json:"action"`
	Outcome      models.Outcome  `json:"outcome"`
	StoreID      *int64          `json:"storeId,omitempty"`
	Store        string          `json:"store,omitempty"`
	SerialNumber string          `json:"serialNumber,omitempty"`
	SaleID       *int64          `json:"saleId,omitempty"`
	OrderID      string          `json:"orderId,omitempty"`
	CaseID       *int64          `json:"cancellationId,omitempty"`
	Attempt      *int            `json:"attempt,omitempty"`
	Amount       *models.Money   `json:"amountCentavos,omitempty"`
	Before       json.RawMessage `json:"before,omitempty"`
	After        json.RawMessage `json:"after,omitempty"`
	Reason       string          `json:"reason,omitempty"`
	Address      string          `json:"address,omitempty"`
	UserAgent    string          `json:"userAgent,omitempty"`
	RequestID    string          `json:"requestId,omitempty"`
}

// canonical returns the bytes of the entry that a proof covers: a JSON object with
// the fields in this order, times in UTC with microseconds. The nonce makes the
// bytes of each entry unique, so that two equal ones are an original and a copy, and
// a hash does not allow guessing what was hashed; version 1 had none.
func canonical(e *models.AuditEntry) ([]byte, error) { return canonicalOf(e, nonce()) }

func canonicalOf(e *models.AuditEntry, nonce string) ([]byte, error) {
	return json.Marshal(canonicalEntry{
		2, nonce, e.At.UTC().Format(canonicalTime), e.ActorID, e.ActorName, e.ActorRole, e.OnBehalfOf,
		e.Action, e.Outcome, e.StoreID, e.StoreName, e.SerialNumber, e.SaleID, e.OrderID,
		e.CancellationID, e.AttemptNumber, e.Amount, e.Before, e.After, e.Reason,
		e.Address, e.UserAgent, e.RequestID,
	})
}

const canonicalTime = "2006-01-02T15:04:05.000000Z"

// FromCanonical reads what an entry's bytes say. What the database assigns is not in them.
func FromCanonical(canonical []byte) (e models.AuditEntry, nonce string, err error) {
	var c canonicalEntry
	if err := json.Unmarshal(canonical, &c); err != nil {
		return e, "", fmt.Errorf("read an entry's bytes: %w", err)
	}
	e = models.AuditEntry{
		ActorID: c.ActorID, ActorName: c.Actor, ActorRole: c.Role, OnBehalfOf: c.OnBehalfOf, Action: c.Action, Outcome: c.Outcome,
		StoreID: c.StoreID, StoreName: c.Store, SerialNumber: c.SerialNumber, SaleID: c.SaleID, OrderID: c.OrderID,
		CancellationID: c.CaseID, AttemptNumber: c.Attempt, Amount: c.Amount, Before: c.Before, After: c.After, Reason: c.Reason,
		Address: c.Address, UserAgent: c.UserAgent, RequestID: c.RequestID, Canonical: canonical,
	}
	if e.At, err = time.Parse(canonicalTime, c.At); err != nil {
		return e, "", fmt.Errorf("read an entry's bytes: %w", err)
	}
	return e, c.Nonce, nil
}

// Rewritten are the bytes that an entry would have with this nonce, written from its
// columns. They are what was written once where its objects had the order that Go gives
// the names of a map, as nearly all have.
func Rewritten(e models.AuditEntry, nonce string) ([]byte, error) {
	for _, object := range []*[]byte{&e.Before, &e.After} {
		if *object == nil {
			continue
		}
		var v map[string]any
		read := json.NewDecoder(bytes.NewReader(*object))
		read.UseNumber()
		if err := read.Decode(&v); err != nil {
			return nil, fmt.Errorf("rewrite an entry: %w", err)
		}
		var err error
		if *object, err = json.Marshal(v); err != nil {
			return nil, fmt.Errorf("rewrite an entry: %w", err)
		}
	}
	return canonicalOf(&e, nonce)
}

// nonce draws 128 random bits.
func nonce() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // crypto/rand ends the program instead of failing
	return base64.RawURLEncoding.EncodeToString(raw[:])
}
