// Package shapes has what the API takes and returns, as JSON: names, descriptions and
// examples of fields for the document. It knows nothing of requests, and nothing of ours.
package shapes

import "time"

// SaleInput is a sale as a program reports it. The tags describe it in the document;
// models validates the values.
type SaleInput struct {
	SerialNumber string `json:"serialNumber" doc:"api.doc.sale.serialNumber" pattern:"^[0-9]{10}$" example:"1490000001"`
	StoreID      string `json:"storeId,omitempty" doc:"api.doc.sale.storeIdInput" maxLength:"250" example:"9000010"`
	MerchantID   string `json:"merchantId,omitempty" doc:"api.doc.merchantId" deprecated:"true" maxLength:"250"`
	OrderID      string `json:"orderId" doc:"api.doc.sale.orderId" minLength:"1" maxLength:"250" example:"261120115930-1490000001"`
	Amount       string `json:"amount" doc:"api.doc.sale.amount" pattern:"^[0-9]+(\\.[0-9]+)?$" example:"1250.00"`
	Currency     string `json:"currency,omitempty" doc:"api.doc.sale.currency" enum:"MXN" example:"MXN"`
	SoldAt       string `json:"soldAt" doc:"api.doc.sale.soldAtInput" format:"date-time" example:"2026-11-20T11:59:30-06:00"`
	Last4        string `json:"last4,omitempty" doc:"api.doc.sale.last4" pattern:"^([0-9]{4})?$" example:"4242"`
	CardBrand    string `json:"cardBrand,omitempty" doc:"api.doc.sale.cardBrand" maxLength:"20" example:"VISA"`
	AuthCode     string `json:"authCode,omitempty" doc:"api.doc.sale.authCode" maxLength:"20" example:"A1B2C3"`
	Folio        string `json:"folio,omitempty" doc:"api.doc.sale.folio" maxLength:"80" example:"000123"`
	Reference    string `json:"reference,omitempty" doc:"api.doc.sale.reference" maxLength:"80" example:"ticket 7841"`
}

// Outcome is the result of one reported sale.
type Outcome struct {
	Index        int           `json:"index" doc:"api.doc.outcome.index" example:"0"`
	Status       string        `json:"status" doc:"api.doc.outcome.status" enum:"created,known,conflict,refused,skipped" example:"created"`
	SaleID       int64         `json:"saleId,omitempty" doc:"api.doc.outcome.saleId" example:"48213"`
	SerialNumber string        `json:"serialNumber,omitempty" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	OrderID      string        `json:"orderId,omitempty" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
	Errors       []FieldError  `json:"errors,omitempty" doc:"api.doc.outcome.errors"`
	Warnings     []WarningNote `json:"warnings,omitempty" doc:"api.doc.outcome.warnings"`
	Completed    []string      `json:"completed,omitempty" doc:"api.doc.outcome.completed"`
}

// WarningNote is something about a sale that a person should check.
type WarningNote struct {
	Code   string `json:"code" doc:"api.doc.error.code" example:"sale.orderSerialDiffers"`
	Detail string `json:"detail" doc:"api.doc.error.detail"`
}

// Batch is the result of a list of sales.
type Batch struct {
	Created  int       `json:"created" doc:"api.doc.batch.created" example:"1"`
	Known    int       `json:"known" doc:"api.doc.batch.known" example:"0"`
	Conflict int       `json:"conflict" doc:"api.doc.batch.conflict" example:"0"`
	Refused  int       `json:"refused" doc:"api.doc.batch.refused" example:"1"`
	Skipped  int       `json:"skipped" doc:"api.doc.batch.skipped" example:"0"`
	Items    []Outcome `json:"items" doc:"api.doc.batch.items"`
}

// Sale is a sale as the API returns it.
type Sale struct {
	ID           int64         `json:"id" doc:"api.doc.sale.id" example:"48213"`
	SerialNumber string        `json:"serialNumber" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	StoreID      string        `json:"storeId" doc:"api.doc.sale.storeId" example:"9000010"`
	MerchantID   string        `json:"merchantId" doc:"api.doc.merchantId" deprecated:"true" example:"9000010"`
	OrderID      string        `json:"orderId" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
	Amount       string        `json:"amount" doc:"api.doc.sale.amount" pattern:"^[0-9]+\\.[0-9]{2}$" example:"1250.00"`
	Currency     string        `json:"currency" doc:"api.doc.sale.currency" example:"MXN"`
	SoldAt       time.Time     `json:"soldAt" doc:"api.doc.sale.soldAt" example:"2026-11-20T17:59:30Z"`
	DayProven    bool          `json:"dayProven" doc:"api.doc.sale.dayProven" example:"true"`
	TicketDate   string        `json:"ticketDate,omitempty" doc:"api.doc.sale.ticketDate" format:"date"`
	ReceivedAt   time.Time     `json:"receivedAt" doc:"api.doc.sale.receivedAt" example:"2026-11-20T17:59:31Z"`
	Last4        string        `json:"last4" doc:"api.doc.sale.last4" example:"4242"`
	CardBrand    string        `json:"cardBrand" doc:"api.doc.sale.cardBrand" example:"VISA"`
	AuthCode     string        `json:"authCode" doc:"api.doc.sale.authCode" example:"A1B2C3"`
	Folio        string        `json:"folio" doc:"api.doc.sale.folio" example:"000123"`
	Reference    string        `json:"reference" doc:"api.doc.sale.reference" example:"ticket 7841"`
	Source       string        `json:"source" doc:"api.doc.sale.source" enum:"terminal,api,import,hand" example:"api"`
	Store        string        `json:"store" doc:"api.doc.sale.store" example:"ROMA-01"`
	StoreName    string        `json:"storeName" doc:"api.doc.sale.storeName" example:"Roma Norte"`
	Canceled     string        `json:"canceled" doc:"api.doc.sale.canceled" enum:"no,inProgress,yes,unknown" example:"inProgress"`
	State        string        `json:"state" doc:"api.doc.sale.state" enum:"cancelable,requested,sending,accepted,confirmed,rejected,unknown,notCanceled,expired,tooLate" example:"requested"`
	StateText    string        `json:"stateText" doc:"api.doc.sale.stateText" example:"Solicitada"`
	Cancelable   bool          `json:"cancelable" doc:"api.doc.sale.cancelable"`
	WhyNot       string        `json:"cancelableWhyNot,omitempty" doc:"api.doc.sale.whyNot" example:"case-open"`
	WhyNotText   string        `json:"cancelableWhyNotText,omitempty" doc:"api.doc.sale.whyNotText"`
	CancelUntil  time.Time     `json:"cancelUntil" doc:"api.doc.sale.cancelUntil" example:"2026-11-21T01:59:55Z"`
	Cancellation *Cancellation `json:"cancellation,omitempty" doc:"api.doc.sale.cancellation"`
}

// SaleMatches are the sales of a reference.
type SaleMatches struct {
	Items []Sale `json:"items" doc:"api.doc.matches.items"`
}

// Undone is a sale that was taken back.
type Undone struct {
	SaleID       int64  `json:"saleId" doc:"api.doc.sale.id" example:"48213"`
	SerialNumber string `json:"serialNumber" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	StoreID      string `json:"storeId" doc:"api.doc.sale.storeId" example:"9000010"`
	OrderID      string `json:"orderId" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
}

// SaleName distinguishes sales of the same order number.
type SaleName struct {
	SaleID       int64  `json:"saleId" doc:"api.doc.sale.id" example:"48213"`
	SerialNumber string `json:"serialNumber" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	StoreID      string `json:"storeId" doc:"api.doc.sale.storeId" example:"9000010"`
	MerchantID   string `json:"merchantId" doc:"api.doc.merchantId" deprecated:"true" example:"9000010"`
}

// Sales is a page of a day's sales.
type Sales struct {
	Date   string     `json:"date" doc:"api.doc.sales.date" format:"date" example:"2026-11-20"`
	Items  []Sale     `json:"items" doc:"api.doc.sales.items"`
	Totals SaleTotals `json:"totals" doc:"api.doc.sales.totals"`
	Next   string     `json:"next,omitempty" doc:"api.doc.sales.next"`
}

// SaleTotals are the sums of everything that the filter matches.
type SaleTotals struct {
	Sales          int64  `json:"sales" doc:"api.doc.totals.sales" example:"214"`
	Amount         string `json:"amount" doc:"api.doc.totals.amount" example:"182340.50"`
	Canceled       int64  `json:"canceled" doc:"api.doc.totals.canceled" example:"3"`
	CanceledAmount string `json:"canceledAmount" doc:"api.doc.totals.canceledAmount" example:"2180.00"`
	InProgress     int64  `json:"inProgress" doc:"api.doc.totals.inProgress" example:"1"`
}

// Cancellation is a cancellation as the API returns it.
type Cancellation struct {
	ID           int64     `json:"id" doc:"api.doc.case.id" example:"912"`
	SaleID       int64     `json:"saleId" doc:"api.doc.sale.id" example:"48213"`
	SerialNumber string    `json:"serialNumber" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	StoreID      string    `json:"storeId" doc:"api.doc.sale.storeId" example:"9000010"`
	MerchantID   string    `json:"merchantId" doc:"api.doc.merchantId" deprecated:"true" example:"9000010"`
	OrderID      string    `json:"orderId" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
	Amount       string    `json:"amount" doc:"api.doc.sale.amount" pattern:"^[0-9]+\\.[0-9]{2}$" example:"1250.00"`
	Currency     string    `json:"currency" doc:"api.doc.sale.currency" example:"MXN"`
	Store        string    `json:"store" doc:"api.doc.sale.store" example:"ROMA-01"`
	Canceled     string    `json:"canceled" doc:"api.doc.case.canceled" enum:"no,inProgress,yes,unknown" example:"inProgress"`
	State        string    `json:"state" doc:"api.doc.case.state" enum:"requested,withdrawn,expired,sending,accepted,rejected,unknown,confirmed,notCanceled" example:"requested"`
	StateText    string    `json:"stateText" doc:"api.doc.sale.stateText" example:"Solicitada"`
	Final        bool      `json:"final" doc:"api.doc.case.final"`
	Reason       string    `json:"reason" doc:"api.doc.case.reason" example:"customerRequest"`
	Note         string    `json:"note" doc:"api.doc.case.note" example:""`
	OmitReceipt  bool      `json:"omitReceipt" doc:"api.doc.case.omitReceipt"`
	RequestedBy  string    `json:"requestedBy" doc:"api.doc.case.requestedBy" example:"Punto de venta Roma"`
	RequestedAt  time.Time `json:"requestedAt" doc:"api.doc.case.requestedAt" example:"2026-11-20T18:20:00Z"`
	ChangedAt    time.Time `json:"changedAt" doc:"api.doc.case.changedAt" example:"2026-11-20T18:20:00Z"`
	Attempts     int       `json:"attempts" doc:"api.doc.case.attempts" example:"0"`
}

// FieldError is what is wrong with one field.
type FieldError struct {
	Location string `json:"location" doc:"api.doc.error.location" example:"body[3].amount"`
	Code     string `json:"code" doc:"api.doc.error.code" example:"amount.notText"`
	Detail   string `json:"detail" doc:"api.doc.error.detail"`
	Value    string `json:"value,omitempty" doc:"api.doc.error.value" maxLength:"41"`
}
