package reconciliation

import (
	"time"

	"veinte/models"
	"veinte/models/reconciliation/report"
)

// Reconciliation is a provider's report of one day, compared with our sales.
// Comparing changes nothing; a person confirms what it resolves.
type Reconciliation struct {
	ID             int64
	ProfileID      int64
	ProfileVersion int
	ProfileName    string
	BusinessDay    models.Day
	// CompleteUntil is the instant until which the report is complete.
	CompleteUntil time.Time
	Stores        []int64 `gorm:"-"` // for which it was compared; nil: for all
	FileName      string
	FileHash      string // SHA-256 in hex
	FileBytes     int64
	Rows          int
	OtherDayRows  int  // that have another day than BusinessDay
	SalesCompared bool `gorm:"column:sales_looked_at"` // also looked for sales of ours that the report lacks
	UploadedAt    time.Time
	UploadedBy    int64
	Uploader      string
	AppliedAt     *time.Time // when doubts were last resolved by it; nil: never
	AppliedBy     string
	DiscardedAt   *time.Time // when it turned out to be wrong; nil: it counts
	DiscardedBy   string
	DiscardedNote string          // why
	Findings      report.Findings `gorm:"serializer:json"` // about the file

	// What it has of the user's stores.
	Counts map[ItemKind]int `gorm:"-"`
	Open   int              `gorm:"-"` // neither resolved nor reviewed
	// SupersededBy is a later report of the same day, profile and stores; 0: none.
	SupersededBy int64
}

// Total counts the items of the user's stores.
func (r *Reconciliation) Total() (n int) {
	for _, of := range r.Counts {
		n += of
	}
	return n
}

// Differences counts the items in which the report and our sales differ.
func (r *Reconciliation) Differences() int {
	return r.Total() - r.Counts[ItemSame] - r.Counts[ItemIgnored]
}

// MostlyAnotherDay reports whether this is probably the report of another day.
func (r *Reconciliation) MostlyAnotherDay() bool { return 2*r.OtherDayRows > r.Rows }

// MuchMissing reports whether so many of our sales are missing that the report is
// probably incomplete: more than a tenth, and more than ten.
func (r *Reconciliation) MuchMissing() bool {
	missing := r.Counts[ItemNotInReport]
	return missing > 10 && 10*missing > r.Total()
}

// ItemKind is the result of comparing what a report states about a sale with what we
// know.
type ItemKind string

// The kinds of items, in the order in which pages show them.
const (
	ItemCanceled        ItemKind = "canceled"        // canceled there; here a cancellation that has another state
	ItemManual          ItemKind = "byHand"          // canceled there; no request here
	ItemCharged         ItemKind = "charged"         // charged there, when nothing could change it any more; unknown here
	ItemStillCharged    ItemKind = "stillCharged"    // charged there; confirmed here
	ItemUnproven        ItemKind = "unproven"        // charged there, which proves nothing yet; Why has the reason
	ItemUnderWay        ItemKind = "underWay"        // charged there; here a cancellation is under way
	ItemAmountDiffers   ItemKind = "amountDiffers"   // another amount
	ItemContradictory   ItemKind = "contradictory"   // its lines contradict each other; Why states how
	ItemReversed        ItemKind = "reversed"        // reversed there
	ItemDeclined        ItemKind = "declined"        // declined there; here a sale
	ItemProposed        ItemKind = "proposed"        // may be the sale that Basis found; never resolves
	ItemUnknownSale     ItemKind = "unknownSale"     // no such sale here
	ItemUnknownTerminal ItemKind = "unknownTerminal" // no such terminal here
	ItemOtherDay        ItemKind = "otherDay"        // of another day than the report's
	ItemUnreadable      ItemKind = "unreadable"      // Problem has the reason
	ItemRepeated        ItemKind = "repeated"        // the same line more than once
	ItemNotInReport     ItemKind = "notInReport"     // here, and not in the report
	ItemSame            ItemKind = "same"
	ItemIgnored         ItemKind = "ignored" // no sale, neither there nor here
)

// ItemKinds lists the kinds.
var ItemKinds = []ItemKind{
	ItemCanceled, ItemManual, ItemCharged, ItemStillCharged, ItemUnproven, ItemUnderWay, ItemAmountDiffers,
	ItemContradictory, ItemReversed, ItemDeclined, ItemProposed, ItemUnknownSale, ItemUnknownTerminal,
	ItemNotInReport, ItemOtherDay, ItemUnreadable, ItemRepeated, ItemSame, ItemIgnored,
}

// Resolves is the effect of an item on its cancellation once a person confirms it.
type Resolves string

// The effects of items.
const (
	ResolvesNothing     Resolves = ""
	ResolvesConfirmed   Resolves = "confirmed"   // the cancellation, which may begin with it, ends canceled
	ResolvesNotCanceled Resolves = "notCanceled" // the doubt ends as still charged
	ResolvesConflict    Resolves = "conflict"    // a contradiction for the inbox; the cancellation stays
)

// ResolvesAlready is the outcome of an item that something else had resolved
// meanwhile.
const ResolvesAlready = "already"

// ReportItem is the comparison of one order of a report, or of a sale of ours that
// the report lacks.
type ReportItem struct {
	ID               int64
	ReconciliationID int64
	Kind             ItemKind
	Resolves         Resolves `gorm:"column:settles"`
	Verdict          Verdict
	Why              string // more about the kind, as a code
	Basis            Basis  // how the sale was found
	Lines            []int  `gorm:"-"` // of the file, the first few
	LineText         string // the same in the database's form
	LineCount        int
	SerialNumber     string
	MerchantID       string
	OrderID          string
	Folio            string
	AuthCode         string
	Last4            string
	Amount           *models.Money
	At               *time.Time
	Day              models.Day
	Problem          string
	ProblemColumn    string
	ProblemValue     string
	StoreID          int64 // 0: no known store
	SaleID           int64 // 0: none was found
	Ours             models.SaleState
	OurAmount        *models.Money // of the sale when it was compared; nil when there was none
	ResolvedAt       *time.Time    `gorm:"column:settled_at"`
	ResolvedBy       string        `gorm:"column:settled_by"`
	Resolved         string        `gorm:"column:settled"` // how it was resolved
	ReviewedAt       *time.Time
	ReviewedBy       string
	Note             string

	Now models.SaleState `gorm:"-"` // the sale's state when the page was read; "" when there is no sale
	Own bool             `gorm:"-"` // the reader ended the sale's doubt: others handle it
}

// Open reports whether the item still waits for a person.
func (i *ReportItem) Open() bool {
	return i.ResolvedAt == nil && i.ReviewedAt == nil && i.Kind != ItemSame && i.Kind != ItemIgnored
}

// Verdict is the combined meaning of the lines of one order.
type Verdict string

// The verdicts.
const (
	VerdictCharged       Verdict = "charged"
	VerdictCanceled      Verdict = "canceled"
	VerdictReversed      Verdict = "reversed"
	VerdictDeclined      Verdict = "declined"
	VerdictIgnored       Verdict = "ignored"
	VerdictContradictory Verdict = "contradictory"
	VerdictUnreadable    Verdict = "unreadable"
	VerdictAbsent        Verdict = "absent" // no line at all
)

// Basis is how a sale was found.
type Basis string

// The bases. Only the first is proof; the others are proposals.
const (
	BasisNone      Basis = ""
	BasisOrder     Basis = "order"    // order number and terminal
	BasisMerchant  Basis = "merchant" // the same, but another merchant id
	BasisFolio     Basis = "folio"    // folio and terminal
	BasisNumber    Basis = "number"   // order number alone, where the report names no terminal
	BasisAuthCode  Basis = "authCode" // authorization, amount and last four on the terminal and day
	BasisAmbiguous Basis = "several"  // more than one sale fits
)
