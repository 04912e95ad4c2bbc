package shapes

import "time"

// CancellationFacts are what an event says of a cancellation.
type CancellationFacts struct {
	CancellationID int64     `json:"cancellationId" doc:"api.doc.case.id" example:"912"`
	OrderID        string    `json:"orderId" doc:"api.doc.sale.orderId" example:"261120115930-1490000001"`
	SerialNumber   string    `json:"serialNumber" doc:"api.doc.sale.serialNumber" example:"1490000001"`
	StoreID        string    `json:"storeId" doc:"api.doc.sale.storeId" example:"9000010"`
	MerchantID     string    `json:"merchantId" doc:"api.doc.merchantId" deprecated:"true" example:"9000010"`
	Store          string    `json:"store" doc:"api.doc.sale.store" example:"ROMA-01"`
	Amount         string    `json:"amount" doc:"api.doc.sale.amount" pattern:"^[0-9]+\\.[0-9]{2}$" example:"1250.00"`
	Currency       string    `json:"currency" doc:"api.doc.sale.currency" example:"MXN"`
	State          string    `json:"state" doc:"api.doc.case.state" enum:"requested,withdrawn,expired,sending,accepted,rejected,unknown,confirmed,notCanceled" example:"confirmed"`
	Detail         string    `json:"detail" doc:"api.doc.event.detail" example:"terminalConfirmed"`
	Conflict       string    `json:"conflict,omitempty" doc:"api.doc.event.conflict"`
	RequestedAt    time.Time `json:"requestedAt" doc:"api.doc.case.requestedAt" example:"2026-11-20T18:20:00Z"`
	Sequence       int       `json:"sequence" doc:"api.doc.event.sequence" example:"4"`
}

// DayFacts are what an event says of a day that was closed.
type DayFacts struct {
	Day       string    `json:"day" doc:"api.doc.sales.date" format:"date" example:"2026-11-20"`
	ClosedAt  time.Time `json:"closedAt" doc:"api.doc.event.closedAt" example:"2026-11-21T02:00:05Z"`
	SHA256    string    `json:"sha256" doc:"api.doc.event.sha256" pattern:"^[0-9a-f]{64}$"`
	AllStores bool      `json:"allStores" doc:"api.doc.event.allStores"`
	Total     DaySums   `json:"total" doc:"api.doc.event.total"`
}

// DaySums are the sums of a day: all sales, and each kind of them.
type DaySums struct {
	Sales       Sum `json:"sales" doc:"api.doc.event.sums.sales"`
	Kept        Sum `json:"kept" doc:"api.doc.event.sums.kept"`
	Canceled    Sum `json:"canceled" doc:"api.doc.event.sums.canceled"`
	InDoubt     Sum `json:"inDoubt" doc:"api.doc.event.sums.inDoubt"`
	Pending     Sum `json:"pending" doc:"api.doc.event.sums.pending"`
	Rejected    Sum `json:"rejected" doc:"api.doc.event.sums.rejected"`
	NotCanceled Sum `json:"notCanceled" doc:"api.doc.event.sums.notCanceled"`
	NotSent     Sum `json:"notSent" doc:"api.doc.event.sums.notSent"`
	MadeTooLate Sum `json:"madeTooLate" doc:"api.doc.event.sums.madeTooLate"`
}

// Sum is a count and an amount.
type Sum struct {
	Count    int64  `json:"count" doc:"api.doc.event.count" example:"214"`
	Amount   string `json:"amount" doc:"api.doc.sale.amount" example:"182340.50"`
	Centavos int64  `json:"amountCentavos" doc:"api.doc.event.centavos" deprecated:"true" example:"18234050"`
}

// AlertFacts are what an event says of an alert.
type AlertFacts struct {
	AlertID int64          `json:"alertId" doc:"api.doc.event.alertId" example:"31"`
	Rule    string         `json:"rule" doc:"api.doc.event.rule" example:"amount"`
	Store   string         `json:"store" doc:"api.doc.event.store" example:"Roma Norte"`
	SaleID  *int64         `json:"saleId" doc:"api.doc.event.saleId" example:"48213"`
	Again   int            `json:"again" doc:"api.doc.event.again" example:"0"`
	Facts   map[string]any `json:"facts" doc:"api.doc.event.facts"`
}

// TestFacts are the body of a test.
type TestFacts struct {
	Message string `json:"message" doc:"api.doc.event.message" example:"Veinte"`
}
