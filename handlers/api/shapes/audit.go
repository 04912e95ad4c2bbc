package shapes

import (
	"encoding/json"
	"time"
)

// AuditEntry is an entry of the trail.
type AuditEntry struct {
	ID             int64           `json:"id" doc:"api.doc.audit.id" example:"73122"`
	Cursor         string          `json:"cursor" doc:"api.doc.audit.cursor" example:"dDc3MS43MzEyMg"`
	At             time.Time       `json:"at" doc:"api.doc.audit.at" example:"2026-11-20T18:20:00Z"`
	ActorID        int64           `json:"actorId,omitempty" doc:"api.doc.audit.actorId" example:"7"`
	Actor          string          `json:"actor" doc:"api.doc.audit.actor" example:"Ana Encargada"`
	Role           string          `json:"role" doc:"api.doc.audit.role" example:"manager"`
	OnBehalfOf     string          `json:"onBehalfOf,omitempty" doc:"api.doc.audit.onBehalfOf"`
	Action         string          `json:"action" doc:"api.doc.audit.action" example:"cancellation.requested"`
	Outcome        string          `json:"outcome" doc:"api.doc.audit.outcome" enum:"success,failure,denied,unknown" example:"success"`
	StoreNumber    int64           `json:"storeNumber,omitempty" doc:"api.doc.audit.storeNumber" example:"3"`
	StoreID        int64           `json:"storeId,omitempty" doc:"api.doc.audit.storeId" deprecated:"true" example:"3"`
	Store          string          `json:"store,omitempty" doc:"api.doc.sale.storeName" example:"Roma Norte"`
	SerialNumber   string          `json:"serialNumber,omitempty" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	SaleID         int64           `json:"saleId,omitempty" doc:"api.doc.sale.id" example:"48213"`
	OrderID        string          `json:"orderId,omitempty" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
	CancellationID int64           `json:"cancellationId,omitempty" doc:"api.doc.case.id" example:"912"`
	Attempt        int             `json:"attempt,omitempty" doc:"api.doc.audit.attempt" example:"1"`
	Amount         string          `json:"amount,omitempty" doc:"api.doc.sale.amount" example:"1250.00"`
	Before         json.RawMessage `json:"before,omitempty" doc:"api.doc.audit.before"`
	After          json.RawMessage `json:"after,omitempty" doc:"api.doc.audit.after"`
	Reason         string          `json:"reason,omitempty" doc:"api.doc.audit.reason"`
	Address        string          `json:"address,omitempty" doc:"api.doc.audit.address" example:"10.1.4.22"`
	UserAgent      string          `json:"userAgent,omitempty" doc:"api.doc.audit.userAgent"`
	RequestID      string          `json:"requestId,omitempty" doc:"api.doc.problem.requestId"`
}

// AuditPage is a piece of the trail.
type AuditPage struct {
	Items []AuditEntry `json:"items" doc:"api.doc.audit.items"`
	After string       `json:"after" doc:"api.doc.audit.after2" example:"dDc3MS43MzEyMg"`
}

// Checkpoint is a signed statement of the size and root hash of the trail.
type Checkpoint struct {
	Size     int64     `json:"size" doc:"api.doc.checkpoint.size" example:"12345"`
	Root     string    `json:"root" doc:"api.doc.checkpoint.root" example:"3vJ9m0m5H2dO3uYvCqkkz2S0m9xRZzv7oX1y4nM0mJk="`
	SealedAt time.Time `json:"sealedAt" doc:"api.doc.checkpoint.sealedAt" example:"2026-11-20T18:20:00Z"`
	Note     string    `json:"note" doc:"api.doc.checkpoint.note"`
}

// Consistency proves that one tree begins with another.
type Consistency struct {
	From  int64    `json:"from" doc:"api.doc.consistency.from" example:"12000"`
	To    int64    `json:"to" doc:"api.doc.consistency.to" example:"12345"`
	Proof []string `json:"proof" doc:"api.doc.consistency.proof"`
}

// EntryProof proves one entry: the file of models/audit/trailfile, byte for byte.
type EntryProof struct {
	Format     string   `json:"format" doc:"api.doc.proof.format" enum:"veinte-audit-proof/1" example:"veinte-audit-proof/1"`
	N          int64    `json:"n" doc:"api.doc.proof.n" example:"73121"`
	ID         int64    `json:"id" doc:"api.doc.audit.id" example:"73122"`
	Era        int      `json:"era" doc:"api.doc.proof.era" example:"1"`
	TxID       string   `json:"txid" doc:"api.doc.proof.txid" example:"90211"`
	Entry      string   `json:"entry" doc:"api.doc.proof.entry"`
	Proof      []string `json:"proof" doc:"api.doc.proof.proof"`
	Checkpoint string   `json:"checkpoint" doc:"api.doc.checkpoint.note"`
	// Consistency is there when it was asked for.
	Consistency []Consistency `json:"consistency,omitempty" doc:"api.doc.proof.consistency"`
	// Attested is there when others signed checkpoints that cover the entry.
	Attested []string `json:"attested,omitempty" doc:"api.doc.proof.attested"`
}
