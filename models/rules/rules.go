package rules

import (
	"maps"
	"time"

	"veinte/models"
)

// Rules are the settings that an administrator may change while the server runs, as
// in force at an instant.
type Rules struct {
	Cutoff          models.TimeOfDay // of the calendar day
	Margin          time.Duration    // before it, for delays that cannot be measured
	Answer          time.Duration    // wait for the service's acknowledgement
	Result          time.Duration    // wait for the terminal's result after it
	Quiet           time.Duration    // after a push, how long the terminal may still act on it
	PrintReceipt    bool             // the default of the sheet's "print receipt"
	ManagersResolve bool             // a manager may resolve a doubt of their store
	// Exceptions from PrintReceipt. A reason's setting takes precedence over a
	// store's.
	StoreReceipts  map[int64]bool
	ReasonReceipts map[string]bool
}

// Change is what a version changes; nil fields stay as they were.
type Change struct {
	Cutoff          *models.TimeOfDay `gorm:"column:cutoff_minute"`
	Margin          *Seconds          `gorm:"column:margin_s"`
	Answer          *Seconds          `gorm:"column:answer_s"`
	Result          *Seconds          `gorm:"column:result_s"`
	Quiet           *Seconds          `gorm:"column:quiet_s"`
	PrintReceipt    *bool
	ManagersResolve *bool           `gorm:"column:managers_settle"`
	Receipts        []ReceiptChange `gorm:"-"`
}

// ReceiptChange sets the default of "print receipt" for a store or a reason.
type ReceiptChange struct {
	StoreID *int64
	Reason  *string
	Print   *bool // nil: from now on as PrintReceipt
}

// Seconds is a wait, as administrators set it.
type Seconds int

// Version is one change of the rules.
type Version struct {
	ID          int64
	SetAt       time.Time
	SetBy       string
	EffectiveAt time.Time
	Note        string     // why, in the administrator's words
	Click       string     // drawn with the preview; the same click makes one version only
	WithdrawnAt *time.Time `gorm:"column:taken_back_at"`
	WithdrawnBy string     `gorm:"column:taken_back_by"`
	Change      `gorm:"embedded"`
}

// TableName names the table of the rules' versions.
func (Version) TableName() string { return "rules" }

// Planned reports whether the version takes effect after an instant.
func (v *Version) Planned(now time.Time) bool {
	return v.WithdrawnAt == nil && v.EffectiveAt.After(now)
}

func (v *Version) inForce(t time.Time) bool {
	return v.WithdrawnAt == nil && !v.EffectiveAt.After(t)
}

// after returns the rules with a change applied.
func (r Rules) after(c Change) Rules {
	r = r.clone()
	r.apply(c)
	return r
}

func (r Rules) equal(o Rules) bool {
	same := maps.Equal(r.StoreReceipts, o.StoreReceipts) && maps.Equal(r.ReasonReceipts, o.ReasonReceipts)
	return same && r.Cutoff == o.Cutoff && r.Margin == o.Margin && r.Answer == o.Answer && r.Result == o.Result && r.Quiet == o.Quiet &&
		r.PrintReceipt == o.PrintReceipt && r.ManagersResolve == o.ManagersResolve
}

func (r Rules) clone() Rules {
	r.StoreReceipts, r.ReasonReceipts = maps.Clone(r.StoreReceipts), maps.Clone(r.ReasonReceipts)
	return r
}

func (r *Rules) apply(c Change) {
	set(&r.Cutoff, c.Cutoff)
	set(&r.PrintReceipt, c.PrintReceipt)
	set(&r.ManagersResolve, c.ManagersResolve)
	r.applyTimes(c)
	for _, receipt := range c.Receipts {
		if receipt.StoreID != nil {
			put(&r.StoreReceipts, *receipt.StoreID, receipt.Print)
		}
		if receipt.Reason != nil {
			put(&r.ReasonReceipts, *receipt.Reason, receipt.Print)
		}
	}
}

func (r *Rules) applyTimes(c Change) {
	setSeconds(&r.Margin, c.Margin)
	setSeconds(&r.Answer, c.Answer)
	setSeconds(&r.Result, c.Result)
	setSeconds(&r.Quiet, c.Quiet)
}

func set[T any](into, from *T) {
	if from != nil {
		*into = *from
	}
}

func setSeconds(into *time.Duration, from *Seconds) {
	if from != nil {
		*into = time.Duration(*from) * time.Second
	}
}

func put[K comparable](m *map[K]bool, key K, value *bool) {
	if value == nil {
		delete(*m, key)
		return
	}
	if *m == nil {
		*m = map[K]bool{}
	}
	(*m)[key] = *value
}

// Receipt returns the default of "print receipt": the reason's setting if it has
// one, else the store's, else PrintReceipt.
func (r Rules) Receipt(storeID int64, reason string) bool {
	if printed, ok := r.ReasonReceipts[reason]; ok {
		return printed
	}
	if printed, ok := r.StoreReceipts[storeID]; ok {
		return printed
	}
	return r.PrintReceipt
}
