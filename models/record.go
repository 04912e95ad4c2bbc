package models

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// about says what an audit entry is about. Empty fields are left out.
type about struct {
	store    *Store
	sale     *Sale
	terminal SerialNumber
	caseID   int64
	attempt  int
	before   any
	after    any
	reason   string
}

// record adds an entry to the trail, in the transaction of what it tells. If it
// cannot be written, the act does not happen.
func (t tx) record(actor Actor, now time.Time, action Action, outcome Outcome, a about) error {
	e, err := newEntry(actor, now, action, outcome, a)
	if err != nil {
		return err
	}
	if err := t.Create(&e).Error; err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	t.kept.last = entryWritten(&e)
	return nil
}

// entriesAtOnce keeps a statement below the 65,535 values that it may have.
const entriesAtOnce = 1000

// recordAll adds many entries with few statements.
func (t tx) recordAll(entries []AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := t.CreateInBatches(&entries, entriesAtOnce).Error; err != nil {
		return fmt.Errorf("record %d entries: %w", len(entries), err)
	}
	t.kept.last = entryWritten(&entries[len(entries)-1])
	return nil
}

// newEntry makes the entry of an act, with the bytes that stand for it.
func newEntry(actor Actor, now time.Time, action Action, outcome Outcome, a about) (AuditEntry, error) {
	e := AuditEntry{
		At: now.UTC().Truncate(time.Microsecond), ActorName: actor.Name, ActorRole: actor.Role,
		OnBehalfOf: actor.OnBehalfOf, Action: action, Outcome: outcome,
		SerialNumber: string(a.terminal), Reason: a.reason,
		Address: actor.Address, UserAgent: legible(actor.UserAgent, 200), RequestID: legible(actor.RequestID, 100),
	}
	if actor.UserID != 0 {
		e.ActorID = &actor.UserID
	}
	if a.store != nil {
		e.StoreID, e.StoreName = &a.store.ID, a.store.Name
	}
	if a.sale != nil {
		e.SaleID, e.OrderID, e.Amount = &a.sale.ID, a.sale.OrderID, &a.sale.Amount
		e.SerialNumber = string(a.sale.SerialNumber)
	}
	if a.caseID != 0 {
		e.CancellationID = &a.caseID
	}
	if a.attempt != 0 {
		e.AttemptNumber = &a.attempt
	}
	var err error
	if e.Before, err = object(a.before); err != nil {
		return e, err
	}
	if e.After, err = object(a.after); err != nil {
		return e, err
	}
	e.Canonical, err = e.canonical()
	return e, err
}

// object encodes what was or is; nil stays NULL.
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

// canonical returns the bytes that stand for the entry in a proof: a JSON
// object with the fields in this order, times in UTC with microseconds. The nonce
// makes each entry's bytes its own, so that two that are equal are one and a
// copy, and a hash tells nobody what was hashed; version 1 had none.
func (e *AuditEntry) canonical() ([]byte, error) {
	return json.Marshal(struct {
		Version      int             `json:"v"`
		Nonce        string          `json:"nonce"`
		At           string          `json:"at"`
		ActorID      *int64          `json:"actorId,omitempty"`
		Actor        string          `json:"actor"`
		Role         Role            `json:"role"`
		OnBehalfOf   string          `json:"onBehalfOf,omitempty"`
		Action       Action          `json:"action"`
		Outcome      Outcome         `json:"outcome"`
		StoreID      *int64          `json:"storeId,omitempty"`
		Store        string          `json:"store,omitempty"`
		SerialNumber string          `json:"serialNumber,omitempty"`
		SaleID       *int64          `json:"saleId,omitempty"`
		OrderID      string          `json:"orderId,omitempty"`
		CaseID       *int64          `json:"cancellationId,omitempty"`
		Attempt      *int            `json:"attempt,omitempty"`
		Amount       *Money          `json:"amountCentavos,omitempty"`
		Before       json.RawMessage `json:"before,omitempty"`
		After        json.RawMessage `json:"after,omitempty"`
		Reason       string          `json:"reason,omitempty"`
		Address      string          `json:"address,omitempty"`
		UserAgent    string          `json:"userAgent,omitempty"`
		RequestID    string          `json:"requestId,omitempty"`
	}{
		2, nonce(), e.At.Format("2006-01-02T15:04:05.000000Z"), e.ActorID, e.ActorName, e.ActorRole, e.OnBehalfOf,
		e.Action, e.Outcome, e.StoreID, e.StoreName, e.SerialNumber, e.SaleID, e.OrderID,
		e.CancellationID, e.AttemptNumber, e.Amount, e.Before, e.After, e.Reason,
		e.Address, e.UserAgent, e.RequestID,
	})
}

// nonce draws 128 bits that nobody guesses.
func nonce() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// clip cuts a text to at most n bytes without breaking a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
