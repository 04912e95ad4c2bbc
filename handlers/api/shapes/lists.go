package shapes

import "time"

// SalesOfRange is a page of the sales of a range of days.
type SalesOfRange struct {
	From  string `json:"from" doc:"api.doc.range.from" format:"date" example:"2026-11-01"`
	To    string `json:"to" doc:"api.doc.range.to" format:"date" example:"2026-11-20"`
	Items []Sale `json:"items" doc:"api.doc.sales.items"`
	Next  string `json:"next,omitempty" doc:"api.doc.sales.next"`
}

// Cancellations is a page of the cancellations of a range of days.
type Cancellations struct {
	From  string         `json:"from" doc:"api.doc.range.from" format:"date" example:"2026-11-01"`
	To    string         `json:"to" doc:"api.doc.range.to" format:"date" example:"2026-11-20"`
	Items []Cancellation `json:"items" doc:"api.doc.cancellations.items"`
	Next  string         `json:"next,omitempty" doc:"api.doc.sales.next"`
}

// Store is a shop of the merchant.
type Store struct {
	StoreNumber int64     `json:"storeNumber" doc:"api.doc.audit.storeNumber" example:"3"`
	Store       string    `json:"store" doc:"api.doc.sale.store" example:"ROMA-01"`
	StoreName   string    `json:"storeName" doc:"api.doc.sale.storeName" example:"Roma Norte"`
	TimeZone    string    `json:"timeZone" doc:"api.doc.store.timeZone" example:"America/Mexico_City"`
	CreatedAt   time.Time `json:"createdAt" doc:"api.doc.store.createdAt" example:"2026-10-01T15:00:00Z"`
	Version     int       `json:"version" doc:"api.doc.version" example:"2"`
}

// Stores is a page of stores.
type Stores struct {
	Items []Store `json:"items" doc:"api.doc.stores.items"`
	Next  string  `json:"next,omitempty" doc:"api.doc.sales.next"`
}

// Terminal is a card terminal and where it stands.
type Terminal struct {
	SerialNumber string     `json:"serialNumber" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	Label        string     `json:"label" doc:"api.doc.terminal.label" example:"Caja 2"`
	Store        string     `json:"store,omitempty" doc:"api.doc.terminal.store" example:"ROMA-01"`
	StoreName    string     `json:"storeName,omitempty" doc:"api.doc.sale.storeName" example:"Roma Norte"`
	StoreID      string     `json:"storeId,omitempty" doc:"api.doc.sale.storeId" example:"9000010"`
	Since        *time.Time `json:"since,omitempty" doc:"api.doc.terminal.since" example:"2026-10-01T06:00:00Z"`
	RetiredAt    *time.Time `json:"retiredAt,omitempty" doc:"api.doc.terminal.retiredAt"`
	LastResultAt *time.Time `json:"lastResultAt,omitempty" doc:"api.doc.terminal.lastResultAt" example:"2026-11-20T18:20:00Z"`
	Version      int        `json:"version" doc:"api.doc.version" example:"2"`
}

// Terminals is a page of terminals.
type Terminals struct {
	Items []Terminal `json:"items" doc:"api.doc.terminals.items"`
	Next  string     `json:"next,omitempty" doc:"api.doc.sales.next"`
}

// Reason is why a sale is canceled.
type Reason struct {
	Code      string `json:"code" doc:"api.doc.reason.code" example:"customerRequest"`
	LabelES   string `json:"labelEs" doc:"api.doc.reason.labelEs" example:"El cliente cambió de opinión"`
	LabelEN   string `json:"labelEn" doc:"api.doc.reason.labelEn" example:"The customer changed their mind"`
	NeedsNote bool   `json:"needsNote" doc:"api.doc.reason.needsNote"`
	InUse     bool   `json:"inUse" doc:"api.doc.reason.inUse" example:"true"`
}

// Reasons are all of them.
type Reasons struct {
	Items []Reason `json:"items" doc:"api.doc.reasons.items"`
}
