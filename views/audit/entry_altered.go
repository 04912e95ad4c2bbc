package audit

import (
	"cmp"
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// alteredFields are what of an entry is not what was sealed, each with what it was and
// what it is now, in the reader's words.
func (v *EntryView) alteredFields(ctx context.Context) (all []words.Difference) {
	was, is := v.Detail.Was, v.Detail.Is
	if was == nil || is == nil {
		return nil
	}
	for _, column := range sealedFields {
		a, b := column.of(ctx, v, was), column.of(ctx, v, is)
		if a != b {
			all = append(all, words.Difference{
				Name:   words.SealedColumns(ctx, column.name),
				Before: cmp.Or(a, locale.T(ctx, "alarm.empty")), After: cmp.Or(b, locale.T(ctx, "alarm.empty")),
			})
		}
	}
	for _, side := range []struct {
		name    string
		was, is []byte
	}{{"before", was.Before, is.Before}, {"after", was.After, is.After}} {
		both := *is
		both.Action, both.Reason, both.Before, both.After = "", "", side.was, side.is
		for _, d := range v.names().Differences(ctx, &both) {
			d.Name = words.SealedColumns(ctx, side.name) + ": " + d.Name
			d.Before = cmp.Or(d.Before, locale.T(ctx, "alarm.empty"))
			all = append(all, d)
		}
	}
	return all
}

// sealedFields are the fields of an entry besides its objects, as people read them.
var sealedFields = []struct {
	name string
	of   func(ctx context.Context, v *EntryView, e *models.AuditEntry) string
}{
	{"at", func(ctx context.Context, v *EntryView, e *models.AuditEntry) string {
		return ui.DateSeconds(ctx, e.At, v.Zone()) + e.At.UTC().Format(".000000")
	}},
	{"actor_name", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string {
		return numbered(e.ActorName, e.ActorID)
	}},
	{"actor_role", func(ctx context.Context, _ *EntryView, e *models.AuditEntry) string {
		return ui.Maybe(ctx, "role.", string(e.ActorRole))
	}},
	{"on_behalf_of", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string { return e.OnBehalfOf }},
	{"action", func(ctx context.Context, _ *EntryView, e *models.AuditEntry) string {
		return words.ActionWord(ctx, e.Action)
	}},
	{"outcome", func(ctx context.Context, _ *EntryView, e *models.AuditEntry) string {
		return words.OutcomeWord(ctx, e.Outcome)
	}},
	{"store_name", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string {
		return numbered(e.StoreName, e.StoreID)
	}},
	{"serial_number", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string { return e.SerialNumber }},
	{"order_id", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string {
		return numbered(e.OrderID, e.SaleID)
	}},
	{"cancellation_id", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string {
		return numbered("", e.CancellationID)
	}},
	{"attempt_number", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string {
		if e.AttemptNumber == nil {
			return ""
		}
		return ui.Itoa(int64(*e.AttemptNumber))
	}},
	{"amount", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string {
		if e.Amount == nil {
			return ""
		}
		return ui.Money(*e.Amount)
	}},
	{"reason", func(ctx context.Context, v *EntryView, e *models.AuditEntry) string {
		return words.ReasonText(ctx, v.Reasons, e.Reason)
	}},
	{"address", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string { return e.Address }},
	{"user_agent", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string { return e.UserAgent }},
	{"request_id", func(_ context.Context, _ *EntryView, e *models.AuditEntry) string { return e.RequestID }},
}

// numbered is a name with the number under which it is known.
func numbered(name string, id *int64) string {
	if id == nil {
		return name
	}
	if name == "" {
		return ui.Itoa(*id)
	}
	return name + " (" + ui.Itoa(*id) + ")"
}
