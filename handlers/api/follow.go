package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/audit"
)

// auditInput are the parameters of GET /api/v1/audit.
type auditInput struct {
	After string `query:"after" doc:"api.doc.query.after" maxLength:"80"`
	Limit string `query:"limit" doc:"api.doc.query.auditLimit" pattern:"^[0-9]{1,4}$" example:"500"`
}

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

// ndjsonType has one entry per line, as log collectors expect.
const ndjsonType = "application/x-ndjson"

// nextHeader carries the cursor where the body has no field for it.
const nextHeader = "Veinte-After"

// followAudit handles GET /api/v1/audit.
func (a *API) followAudit(ctx context.Context, in *auditInput) (*output, error) {
	c := callOf(ctx)
	most := 500
	if in.Limit != "" {
		var err error
		if most, err = strconv.Atoi(in.Limit); err != nil || most < 1 || most > audit.MaxStreamed {
			return nil, a.invalid(c.Ctx, a.fieldError(c.Ctx, models.Invalid("limit", "api.auditLimit"), "query", echoed(in.Limit)))
		}
	}
	stream, err := a.Audit.FollowAudit(ctx, c.actor, in.After, most)
	if err != nil {
		return nil, a.inQuery(c, err, in.After)
	}
	page := &AuditPage{Items: make([]AuditEntry, len(stream.Entries)), After: stream.After}
	for i := range stream.Entries {
		page.Items[i] = entryOf(&stream.Entries[i])
	}
	c.Set(nextHeader, page.After)
	if strings.Contains(c.Get(fiber.HeaderAccept), ndjsonType) {
		return a.lined(c, page)
	}
	return &output{http.StatusOK, page}, nil
}

// lined writes one entry per line.
func (a *API) lined(c *call, page *AuditPage) (*output, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range page.Items {
		if err := e.Encode(&page.Items[i]); err != nil {
			return nil, err
		}
	}
	c.Set(fiber.HeaderContentType, ndjsonType)
	return &output{http.StatusOK, b.Bytes()}, nil
}

func entryOf(e *models.AuditEntry) AuditEntry {
	out := AuditEntry{
		ID: e.ID, Cursor: audit.StreamCursor(e), At: e.At.UTC(), ActorID: deref(e.ActorID), Actor: e.ActorName, Role: string(e.ActorRole),
		OnBehalfOf: e.OnBehalfOf, Action: string(e.Action), Outcome: string(e.Outcome),
		StoreNumber: deref(e.StoreID), StoreID: deref(e.StoreID), Store: e.StoreName, SerialNumber: e.SerialNumber,
		SaleID: deref(e.SaleID), OrderID: e.OrderID, CancellationID: deref(e.CancellationID), Attempt: deref(e.AttemptNumber),
		Before: e.Before, After: e.After, Reason: e.Reason, Address: e.Address, UserAgent: e.UserAgent, RequestID: e.RequestID,
	}
	if e.Amount != nil {
		out.Amount = amountOf(*e.Amount)
	}
	return out
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
