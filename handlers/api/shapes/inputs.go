package shapes

// CancelInput is a program's wish to cancel a sale.
type CancelInput struct {
	Reason       string `json:"reason" doc:"api.doc.cancel.reason" example:"customerRequest"`
	Note         string `json:"note,omitempty" doc:"api.doc.cancel.note" maxLength:"500" example:"Se llevó otra talla"`
	Amount       string `json:"amount,omitempty" doc:"api.doc.cancel.amount" pattern:"^[0-9]+(\\.[0-9]+)?$" example:"1250.00"`
	TicketDate   string `json:"ticketDate,omitempty" doc:"api.doc.cancel.ticketDate" format:"date" example:"2026-11-20"`
	OmitReceipt  *bool  `json:"omitReceipt,omitempty" doc:"api.doc.cancel.omitReceipt"` // nil: as the rules say
	SerialNumber string `json:"serialNumber,omitempty" doc:"api.doc.query.serialNumber" pattern:"^[0-9]{10}$" example:"1490000001"`
	StoreID      string `json:"storeId,omitempty" doc:"api.doc.query.storeId" maxLength:"250" example:"9000010"`
	MerchantID   string `json:"merchantId,omitempty" doc:"api.doc.merchantId" deprecated:"true" maxLength:"250"`
	// Traceability describes the merchant's own object; it is read as it is written.
	Traceability map[string]any `json:"traceability,omitempty" doc:"api.doc.cancel.traceability"`
}

// CorrectInput is what a program says of its sale instead. A field that is not there
// stays as it is.
type CorrectInput struct {
	Amount       *string `json:"amount,omitempty" doc:"api.doc.sale.amount" pattern:"^[0-9]+(\\.[0-9]+)?$" example:"1205.00"`
	Last4        *string `json:"last4,omitempty" doc:"api.doc.sale.last4" pattern:"^([0-9]{4})?$" example:"4242"`
	CardBrand    *string `json:"cardBrand,omitempty" doc:"api.doc.sale.cardBrand" maxLength:"20" example:"VISA"`
	AuthCode     *string `json:"authCode,omitempty" doc:"api.doc.sale.authCode" maxLength:"20" example:"A1B2C3"`
	Folio        *string `json:"folio,omitempty" doc:"api.doc.sale.folio" maxLength:"80" example:"000123"`
	Reference    *string `json:"reference,omitempty" doc:"api.doc.sale.reference" maxLength:"80" example:"ticket 7841"`
	Note         string  `json:"note,omitempty" doc:"api.doc.change.note" maxLength:"500" example:"Se tecleó otro monto"`
	SerialNumber string  `json:"serialNumber,omitempty" doc:"api.doc.query.serialNumber" pattern:"^[0-9]{10}$" example:"1490000001"`
	StoreID      string  `json:"storeId,omitempty" doc:"api.doc.query.storeId" maxLength:"250" example:"9000010"`
}

// UndoInput is a program's wish to take its sale back.
type UndoInput struct {
	Note         string `json:"note,omitempty" doc:"api.doc.change.note" maxLength:"500" example:"Se envió dos veces"`
	SerialNumber string `json:"serialNumber,omitempty" doc:"api.doc.query.serialNumber" pattern:"^[0-9]{10}$" example:"1490000001"`
	StoreID      string `json:"storeId,omitempty" doc:"api.doc.query.storeId" maxLength:"250" example:"9000010"`
}

// WithdrawInput is the body of a withdrawal: an object without fields.
type WithdrawInput struct{}

// StoreInput is a store as a program has it.
type StoreInput struct {
	StoreName string `json:"storeName" doc:"api.doc.sale.storeName" minLength:"1" maxLength:"80" example:"Roma Norte"`
	TimeZone  string `json:"timeZone" doc:"api.doc.store.timeZone" example:"America/Mexico_City"`
}

// TerminalInput is a terminal as a program has it.
type TerminalInput struct {
	Label   string `json:"label" doc:"api.doc.terminal.label" minLength:"1" maxLength:"60" example:"Caja 2"`
	Store   string `json:"store" doc:"api.doc.terminal.store" minLength:"1" maxLength:"20" example:"ROMA-01"`
	StoreID string `json:"storeId" doc:"api.doc.sale.storeId" minLength:"1" maxLength:"250" example:"9000010"`
	Retired *bool  `json:"retired,omitempty" doc:"api.doc.terminal.retired" example:"false"`
}
