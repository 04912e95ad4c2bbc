package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/audit"
)

// auditInput are the parameters of GET /api/v1/audit.
type auditInput struct {
	After string `query:"after" doc:"api.doc.query.after" maxLength:"80"`
	Limit string `query:"limit" doc:"api.doc.query.auditLimit" pattern:"^[0-9]{1,4}$" example:"500"`
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
	page := &shapes.AuditPage{Items: make([]shapes.AuditEntry, len(stream.Entries)), After: stream.After}
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
func (a *API) lined(c *call, page *shapes.AuditPage) (*output, error) {
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

func entryOf(e *models.AuditEntry) shapes.AuditEntry {
	out := shapes.AuditEntry{
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
