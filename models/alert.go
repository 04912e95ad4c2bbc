package models

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
)

// AlertKind is what an alert warns of. There is one rule for each.
type AlertKind string

// The kinds of alerts, in the order in which the settings show them.
const (
	AlertPerson   AlertKind = "person"   // one person asks for many cancellations in a while
	AlertAmount   AlertKind = "amount"   // a cancellation of much money is asked for
	AlertRate     AlertKind = "rate"     // a store cancels far more than it usually does
	AlertLate     AlertKind = "late"     // asked for in the last minutes before the cut-off
	AlertDoubt    AlertKind = "doubt"    // a doubt that nobody has settled for long
	AlertConflict AlertKind = "conflict" // something contradicts a case, or belongs to none
	AlertTrail    AlertKind = "trail"    // the trail is contradicted, or its sealing stands still
	AlertSignIns  AlertKind = "signIns"  // many sign-ins are refused
	AlertSilent   AlertKind = "silent"   // a terminal has posted nothing for long
	AlertClosing  AlertKind = "closing"  // the closing report of a day is made
)

// AlertKinds lists the kinds.
var AlertKinds = []AlertKind{
	AlertPerson, AlertAmount, AlertRate, AlertLate, AlertDoubt,
	AlertConflict, AlertTrail, AlertSignIns, AlertSilent, AlertClosing,
}

// alertUses says which thresholds a kind has; what it does not use stays 0.
type alertUses struct{ Count, Minutes, Amount, Factor, Stores bool }

// Uses says which thresholds the kind has, and whether it may be narrowed to
// stores: the trail and sign-ins belong to none.
func (k AlertKind) Uses() alertUses {
	switch k {
	case AlertPerson:
		return alertUses{Count: true, Minutes: true, Stores: true}
	case AlertAmount:
		return alertUses{Amount: true, Stores: true}
	case AlertRate:
		return alertUses{Count: true, Factor: true, Stores: true}
	case AlertLate, AlertDoubt, AlertSilent:
		return alertUses{Minutes: true, Stores: true}
	case AlertConflict:
		return alertUses{Stores: true}
	case AlertSignIns:
		return alertUses{Count: true, Minutes: true}
	}
	return alertUses{}
}

// AlertRule says when alerts of a kind are raised, and whom they are sent to.
// The supervisors' page has them all.
type AlertRule struct {
	Kind         AlertKind `gorm:"primaryKey"`
	Active       bool
	Count        int
	Minutes      int
	Amount       Money
	Factor       int // percent of the store's own average
	AllStores    bool
	StoreIDs     IDs    `gorm:"type:bigint[]"`
	Emails       Texts  `gorm:"type:text[]"`
	Language     string // of letters to addresses that are no person's of ours
	Webhook      bool   // to the endpoints that subscribe to alert.raised
	QuietMinutes int    // in which the same subject is counted instead of told again
	Version      int
	ChangedAt    time.Time
	ChangedBy    string
}

func (r *AlertRule) covers(storeID *int64) bool {
	if r.AllStores || !r.Kind.Uses().Stores {
		return true
	}
	return storeID != nil && slices.Contains(r.StoreIDs, *storeID)
}

// told is how the trail names a rule.
func (r *AlertRule) told() map[string]any {
	told := map[string]any{
		"rule": r.Kind, "active": r.Active, "emails": []string(r.Emails), "language": r.Language, "webhook": r.Webhook, "quietMinutes": r.QuietMinutes,
	}
	uses := r.Kind.Uses()
	for name, v := range map[string]struct {
		used  bool
		value any
	}{
		"count": {uses.Count, r.Count}, "minutes": {uses.Minutes, r.Minutes}, "amount": {uses.Amount, r.Amount}, "factor": {uses.Factor, r.Factor},
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
	Kind       AlertKind
	Cause      string // the same cause is raised once
	Subject    string // whom or what it is about: within the quiet period it is told of once
	RaisedAt   time.Time
	QuietUntil time.Time
	LastAt     time.Time
	Times      int // how often it happened until the quiet period was over
	Told       int // of them, those that somebody was told of
	StoreID    *int64
	StoreName  string
	SaleID     *int64
	EntryID    *int64
	Facts      json.RawMessage `gorm:"type:jsonb"`
	SeenAt     *time.Time
	SeenBy     string
	Note       string
}

// AlertFacts are the figures of an alert. What does not matter to its kind is
// left out. There is no more of a card in it than nothing.
type AlertFacts struct {
	Person  string `json:"person,omitempty"`
	Order   string `json:"orderId,omitempty"`
	Serial  string `json:"serialNumber,omitempty"`
	Amount  Money  `json:"amountCentavos,omitempty"`
	Count   int64  `json:"count,omitempty"`
	Minutes int    `json:"minutes,omitempty"`
	Percent int64  `json:"percent,omitempty"` // of the store's average
	Day     Day    `json:"day,omitempty"`
	From    Day    `json:"from,omitempty"` // the first day of what is counted, to Day
	Action  Action `json:"action,omitempty"`
	Address string `json:"address,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	// Figures of a closing report.
	Sales    int64 `json:"sales,omitempty"`
	Canceled int64 `json:"canceled,omitempty"`
	Doubt    int64 `json:"inDoubt,omitempty"`
}

// Read returns the figures; those that cannot be read are left out.
func (a *Alert) Read() (f AlertFacts) {
	_ = json.Unmarshal(a.Facts, &f) // what was stored is ours
	return f
}

// Path is the page of what the alert is about: of several cases, the trail with
// all of them.
func (a *Alert) Path() string {
	if path := a.trailPath(a.Read()); path != "" {
		return path
	}
	switch {
	case a.Kind == AlertClosing:
		return "/closings/" + string(a.Read().Day)
	case a.SaleID != nil:
		return "/sales/" + jsonNumber(*a.SaleID)
	case a.Kind == AlertTrail:
		return "/audit/verification"
	case a.Kind == AlertSignIns:
		return "/audit?action=session.started&outcome=denied" // raised before alerts knew their days
	case a.EntryID != nil:
		return "/audit/" + jsonNumber(*a.EntryID)
	}
	return "/alerts"
}

// trailPath is the trail with all the cases of an alert; "" when it is about one,
// or its days are not known.
func (a *Alert) trailPath(f AlertFacts) string {
	if f.From == "" || f.Day == "" {
		return ""
	}
	q := url.Values{"from": {string(f.From)}, "to": {string(f.Day)}}
	person, isPerson := strings.CutPrefix(a.Subject, "person ")
	person, _, _ = strings.Cut(person, " ") // which store it was in follows
	switch {
	case a.Kind == AlertSignIns:
		q.Set("action", string(ActionLogin))
		q.Set("outcome", string(OutcomeDenied))
	case a.Kind == AlertPerson && isPerson:
		q.Set("person", person)
		q.Set("action", string(ActionCaseRequested))
	case (a.Kind == AlertAmount || a.Kind == AlertLate) && a.Times > 1 && a.StoreID != nil:
		q.Set("store", jsonNumber(*a.StoreID))
		q.Set("action", string(ActionCaseRequested))
	case a.Kind == AlertRate && a.StoreID != nil:
		q.Set("store", jsonNumber(*a.StoreID))
		q.Set("action", string(ActionCaseMoved))
	default:
		return ""
	}
	return "/audit?" + q.Encode()
}
