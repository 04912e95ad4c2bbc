package alerts

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/webhooks"
)

// Kind is what an alert warns of. There is one rule for each.
type Kind string

// The kinds of alerts, in the order in which the settings show them.
const (
	KindPerson     Kind = "person"        // one person requests many cancellations within some minutes
	KindAmount     Kind = "amount"        // a cancellation of a large amount is requested
	KindRate       Kind = "rate"          // a store cancels far more than it usually does
	KindLate       Kind = "late"          // requested in the last minutes before the cut-off
	AlertDoubt     Kind = "doubt"         // a doubt that has been open for long
	KindConflict   Kind = "conflict"      // something contradicts a cancellation, or belongs to none
	KindTrail      Kind = "trail"         // the trail is contradicted, or its sealing has stopped
	KindSignIns    Kind = "signIns"       // many sign-ins are refused
	KindSilent     Kind = "silent"        // a terminal has posted nothing for a long time
	KindClosing    Kind = "closing"       // the closing report of a day is made
	KindRights     Kind = "rights"        // somebody, or a key, got rights that move money
	KindBreakGlass Kind = "breakGlass"    // the one account came in that need not come by the provider
	KindCopied     Kind = "copiedPasskey" // somebody else has a copy of a person's passkey
	KindTables     Kind = "tables"        // a row is not as the trail recorded it
)

// Kinds lists the kinds.
var Kinds = []Kind{
	KindPerson, KindAmount, KindRate, KindLate, AlertDoubt,
	KindConflict, KindTrail, KindSignIns, KindSilent, KindClosing, KindRights, KindBreakGlass, KindCopied,
	KindTables,
}

// alertUses states which thresholds a kind has; unused ones stay 0.
type alertUses struct{ Count, Minutes, Amount, Factor, Stores bool }

// Uses states which thresholds the kind has, and whether it may be limited to
// stores: the trail and sign-ins belong to none.
func (k Kind) Uses() alertUses {
	switch k {
	case KindPerson:
		return alertUses{Count: true, Minutes: true, Stores: true}
	case KindAmount:
		return alertUses{Amount: true, Stores: true}
	case KindRate:
		return alertUses{Count: true, Factor: true, Stores: true}
	case KindLate, AlertDoubt, KindSilent:
		return alertUses{Minutes: true, Stores: true}
	case KindConflict:
		return alertUses{Stores: true}
	case KindSignIns:
		return alertUses{Count: true, Minutes: true}
	}
	return alertUses{}
}

// always are the kinds of Always, AlwaysSQL the same in SQL.
var always = []Kind{KindRights, KindBreakGlass, KindCopied, KindTables}

// The kinds in SQL.
const (
	AlwaysSQL = "('" + string(KindRights) + "', '" + string(KindBreakGlass) + "', '" + string(KindCopied) + "', '" + string(KindTables) + "')"
	// EchoSQL are the kinds of Echo.
	EchoSQL = "('" + string(AlertDoubt) + "', '" + string(KindConflict) + "')"
	// GraveSQL are those of which nobody waits to hear: the trail is contradicted, or an account is not its person's alone.
	GraveSQL = "('" + string(KindTrail) + "', '" + string(KindBreakGlass) + "', '" + string(KindCopied) + "', '" + string(KindTables) + "')"
)

// OfSaleSQL says that alert a is about one sale and nothing else.
const OfSaleSQL = `a.sale_id IS NOT NULL AND a.subject = 'sale ' || a.sale_id`

// Echo reports whether alerts of the kind only tell of what is an item of the inbox
// itself: a doubt, a contradiction, or a result without a sale.
func (k Kind) Echo() bool { return k == AlertDoubt || k == KindConflict }

// Always reports whether the rule of the kind cannot be switched off, and all who oversee
// are told.
func (k Kind) Always() bool { return slices.Contains(always, k) }

// AlertRule states when alerts of a kind are raised, and who is notified. The
// supervisors' page shows all alerts.
type AlertRule struct {
	Kind         Kind `gorm:"primaryKey"`
	Active       bool
	Count        int
	Minutes      int
	Amount       models.Money
	Factor       int // percent of the store's own average
	AllStores    bool
	StoreIDs     webhooks.IDs `gorm:"type:bigint[]"`
	Emails       models.Texts `gorm:"type:text[]"`
	Language     string       // of letters to addresses that belong to no user
	Webhook      bool         // to the endpoints that subscribe to alert.raised
	QuietMinutes int          // in which the same subject is counted and not notified again
	Version      int
	ChangedAt    time.Time
	ChangedBy    string
}

// TableName is the table of the rules.
func (AlertRule) TableName() string { return "alert_rules" }

func (r *AlertRule) covers(storeID *int64) bool {
	if r.AllStores || !r.Kind.Uses().Stores {
		return true
	}
	return storeID != nil && slices.Contains(r.StoreIDs, *storeID)
}

// attributes are what the trail records of a rule.
func (r *AlertRule) attributes() map[string]any {
	told := map[string]any{
		"rule": r.Kind, "active": r.Active, "emails": []string(r.Emails), "language": r.Language,
		"webhook": r.Webhook, "quietMinutes": r.QuietMinutes,
	}
	uses := r.Kind.Uses()
	for name, v := range map[string]struct {
		used  bool
		value any
	}{
		"count": {uses.Count, r.Count}, "minutes": {uses.Minutes, r.Minutes},
		"amount": {uses.Amount, r.Amount}, "factor": {uses.Factor, r.Factor},
		"allStores": {uses.Stores, r.AllStores}, "storeIds": {uses.Stores, []int64(r.StoreIDs)},
	} {
		if v.used {
			told[name] = v.value
		}
	}
	return told
}

// Alert is something that a rule found.
type Alert struct {
	ID         int64
	Kind       Kind
	Cause      string // the same cause is raised once
	Subject    string // who or what it is about: notified once within the quiet period
	RaisedAt   time.Time
	QuietUntil time.Time
	LastAt     time.Time
	Times      int // how often it happened until the quiet period was over
	Notified   int `gorm:"column:told"` // how many of them were notified
	StoreID    *int64
	StoreName  string
	SaleID     *int64
	EntryID    *int64
	Facts      json.RawMessage `gorm:"type:jsonb"`
	SeenAt     *time.Time
	SeenBy     string
	Note       string
}

// Facts are the figures of an alert. Those that do not apply to its kind are left
// out. They never contain card data.
type Facts struct {
	Person  string        `json:"person,omitempty"`
	Order   string        `json:"orderId,omitempty"`
	Serial  string        `json:"serialNumber,omitempty"`
	Amount  models.Money  `json:"amountCentavos,omitempty"`
	Count   int64         `json:"count,omitempty"`
	Minutes int           `json:"minutes,omitempty"`
	Percent int64         `json:"percent,omitempty"` // of the store's average
	Known   int64         `json:"known,omitempty"`   // days before with sales, of which the average is
	Day     models.Day    `json:"day,omitempty"`
	From    models.Day    `json:"from,omitempty"` // the first day of what is counted, to Day
	Action  models.Action `json:"action,omitempty"`
	Address string        `json:"address,omitempty"`
	SHA256  string        `json:"sha256,omitempty"`
	Of      string        `json:"of,omitempty"`   // the person, the key or the group that got rights
	Role    models.Role   `json:"role,omitempty"` // of that person
	AskedBy string        `json:"askedBy,omitempty"`
	Row     string        `json:"row,omitempty"` // the first row that is not as the trail recorded it
	// Figures of a closing report.
	Sales    int64 `json:"sales,omitempty"`
	Canceled int64 `json:"canceled,omitempty"`
	Doubt    int64 `json:"inDoubt,omitempty"`
}

// Read returns the figures; unreadable ones are left out.
func (a *Alert) Read() (f Facts) {
	_ = json.Unmarshal(a.Facts, &f) // we stored it ourselves
	return f
}

// Path is the page of what the alert is about. For several cancellations it is the
// trail with all of them.
func (a *Alert) Path() string {
	if path := a.trailPath(a.Read()); path != "" {
		return path
	}
	switch {
	case a.Kind == KindClosing:
		return "/closings/" + string(a.Read().Day)
	case a.SaleID != nil:
		return "/sales/" + models.JsonNumber(*a.SaleID)
	case a.Kind == KindTrail, a.Kind == KindTables:
		return "/audit/verification"
	case a.Kind == KindSignIns:
		return "/audit?action=session.started&outcome=denied" // raised before alerts stored their days
	case a.EntryID != nil:
		return "/audit/" + models.JsonNumber(*a.EntryID)
	}
	return "/alerts"
}

// trailPath is the trail with all the cancellations of an alert, of a store's rate the sales
// that it canceled; "" when it is about one, or its days are not known.
func (a *Alert) trailPath(f Facts) string {
	if f.From == "" || f.Day == "" {
		return ""
	}
	if a.Kind == KindRate && a.StoreID != nil { // the sales of which it speaks
		q := url.Values{"date": {string(f.Day)}, "state": {string(models.SaleConfirmed)}, "store": {models.JsonNumber(*a.StoreID)}}
		return "/sales?" + q.Encode()
	}
	q := url.Values{"from": {string(f.From)}, "to": {string(f.Day)}}
	person, isPerson := strings.CutPrefix(a.Subject, "person ")
	person, _, _ = strings.Cut(person, " ") // the store follows after the space
	switch {
	case a.Kind == KindSignIns:
		q.Set("action", string(models.ActionLogin))
		q.Set("outcome", string(models.OutcomeDenied))
	case a.Kind == KindPerson && isPerson:
		q.Set("person", person)
		q.Set("action", string(models.ActionCancellationRequested))
	case (a.Kind == KindAmount || a.Kind == KindLate) && a.Times > 1 && a.StoreID != nil:
		q.Set("store", models.JsonNumber(*a.StoreID))
		q.Set("action", string(models.ActionCancellationRequested))
	default:
		return ""
	}
	return "/audit?" + q.Encode()
}
