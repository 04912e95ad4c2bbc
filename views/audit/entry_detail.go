package audit

import (
	"context"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// EntryView is one entry of the trail with everything known about it.
type EntryView struct {
	ui.Page
	Detail  verify.EntryDetail
	Stores  []models.Store
	People  []words.Person
	Reasons []models.Reason
	Address string // of this page, whole, to be copied
	Seals
	Came      map[int64]audit.CurrentState // of the entry, where it is a request
	Terminals map[string]string            // what people call them, by serial number
}

func (v *EntryView) names() *words.AuditNames {
	names := words.NewAuditNames(v.Stores, v.People, v.Zone())
	names.Terminals = v.Terminals
	return names
}

func (v *EntryView) came() (now audit.CurrentState, ok bool) {
	l := line{[]*models.AuditEntry{&v.Detail.Entry}}
	return l.came(v.Came)
}

// alarms reports whether the entry is not as it was sealed.
func (v *EntryView) alarms() bool {
	state := v.proofState()
	return state == "altered" || state == "broken"
}

// differs says what of the entry is not what was sealed.
func (v *EntryView) differs(ctx context.Context) string {
	if fields := words.SealedColumns(ctx, v.Detail.Altered); fields != "" {
		return locale.T(ctx, "alarm.fields", "Fields", fields)
	}
	return locale.T(ctx, "alarm.bytes")
}

// proofState returns what is known of the entry's seal, as a key of the catalogue.
// An entry with a page is not archived with its month, so if its leaf is not found
// at the time at which it was sealed, the entry was moved.
func (v *EntryView) proofState() string {
	switch p := v.Detail.Proof; {
	case p == nil && v.Checkpoint == nil:
		return "never"
	case p == nil:
		return "notYet"
	case v.Detail.Intact && v.Detail.Altered != "":
		return "altered"
	case v.Detail.Intact:
		return "holds"
	}
	return "broken"
}

var proofIcons = map[string]string{
	"never": "info", "notYet": "clock", "holds": "circle-check", "altered": "triangle-alert", "broken": "triangle-alert",
}

// proofOf names the checkpoint against which the entry was proved.
func (v *EntryView) proofOf(ctx context.Context) string {
	p := v.Detail.Proof
	return locale.T(ctx, "proof.of", "N", ui.Number(p.N), "Size", ui.Number(p.Checkpoint.Size), "Steps", ui.Itoa(int64(len(p.Proof))))
}

// lookedTo says how far the search went.
func (v *AuditView) lookedTo(ctx context.Context) string {
	key := "audit.lookedBack"
	if v.List.Forward {
		key = "audit.lookedForward"
	}
	return locale.T(ctx, key, "When", ui.DateTime(ctx, v.List.SearchedTo, v.Zone()), "N", ui.Number(int64(len(v.List.Entries))))
}

// onward is the cursor that goes on in the direction of the search.
func (v *AuditView) onward() string {
	if v.List.Forward {
		return v.List.Newer
	}
	return v.List.Next
}

func (v *AuditView) onwardRel() string {
	if v.List.Forward {
		return "prev"
	}
	return "next"
}
