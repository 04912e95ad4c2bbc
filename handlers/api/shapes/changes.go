package shapes

import "time"

// Changes are a piece of what changed.
type Changes struct {
	Items []Change `json:"items" doc:"api.doc.changes.items"`
	After string   `json:"after" doc:"api.doc.changes.after" example:"YzEuMS43NzMuMi45MTI"`
	More  bool     `json:"more" doc:"api.doc.changes.more"`
	Again bool     `json:"again,omitempty" doc:"api.doc.changes.again"`
}

// Change is one thing as it is now. Only the field of its type is there.
type Change struct {
	Cursor       string        `json:"cursor" doc:"api.doc.change.cursor" example:"YzEuMS43NzMuMi45MTI"`
	Type         string        `json:"type" doc:"api.doc.change.type" enum:"sale,saleRemoved,cancellation,result" example:"cancellation"`
	ID           int64         `json:"id" doc:"api.doc.change.id" example:"912"`
	Sale         *Sale         `json:"sale,omitempty" doc:"api.doc.change.sale"`
	Cancellation *Cancellation `json:"cancellation,omitempty" doc:"api.doc.change.cancellation"`
	Result       *Result       `json:"result,omitempty" doc:"api.doc.change.result"`
}

// Result is what was read of a terminal's post.
type Result struct {
	ID             int64     `json:"id" doc:"api.doc.result.id" example:"71234"`
	Kind           string    `json:"kind" doc:"api.doc.result.kind" enum:"sale,cancellation,inquiry,abandoned,other,unreadable" example:"cancellation"`
	Status         string    `json:"status" doc:"api.doc.result.status" enum:"pending,applied,duplicate,ignored,unmatched,conflict" example:"applied"`
	Note           string    `json:"note,omitempty" doc:"api.doc.result.note"`
	ReceivedAt     time.Time `json:"receivedAt" doc:"api.doc.result.receivedAt" example:"2026-11-20T18:21:07Z"`
	Store          string    `json:"store,omitempty" doc:"api.doc.sale.store" example:"ROMA-01"`
	SerialNumber   string    `json:"serialNumber,omitempty" doc:"api.doc.result.serialNumber" example:"1490000001"`
	StoreID        string    `json:"storeId,omitempty" doc:"api.doc.sale.storeId" example:"9000010"`
	OrderID        string    `json:"orderId,omitempty" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
	Folio          string    `json:"folio,omitempty" doc:"api.doc.sale.folio" example:"000123"`
	Last4          string    `json:"last4,omitempty" doc:"api.doc.sale.last4" example:"4242"`
	Amount         string    `json:"amount,omitempty" doc:"api.doc.sale.amount" example:"1250.00"`
	ResponseCode   string    `json:"responseCode,omitempty" doc:"api.doc.result.responseCode" example:"00"`
	SaleID         int64     `json:"saleId,omitempty" doc:"api.doc.result.saleId" example:"48213"`
	CancellationID int64     `json:"cancellationId,omitempty" doc:"api.doc.result.cancellationId" example:"912"`
}
