package settings

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/rules"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// RulesView is the form of what an administrator may change while the server
// runs, with what is planned.
type RulesView struct {
	ui.Page
	RulesNames
	Form    rules.Input
	Shown   rules.Rules // those that the form was drawn with
	Planned []rules.PastRules
	Shared  models.SharedAddress // at which all terminals may post
	Errors  ui.Errors
}

// RulesPreviewView is a change before it is confirmed.
type RulesPreviewView struct {
	ui.Page
	RulesNames
	Form   rules.Input // with a click
	Plan   rules.Plan
	Errors ui.Errors // proof
}

// RulesVersionsView is a page of the versions, the last to take effect first.
type RulesVersionsView struct {
	ui.Page
	RulesNames
	Versions []rules.PastRules
	Next     int64 // the version after which the next page begins; 0: there is none
}

// RulesNames are what rules speak of by number or code.
type RulesNames struct {
	Stores  []models.Store
	Reasons []models.Reason // retired ones too
}

func (n RulesNames) store(id int64) string {
	if s := ui.StoreOf(n.Stores, id); s != nil {
		return s.Name + " (" + s.Code + ")"
	}
	return ui.Itoa(id)
}

// ruleDifferences lists what a change makes of the rules, in words.
func (n RulesNames) ruleDifferences(ctx context.Context, before, after rules.Rules) []words.Difference {
	var all []words.Difference
	add := func(name, b, a string) {
		if b != a {
			all = append(all, words.Difference{Name: name, Before: b, After: a})
		}
	}
	add(locale.T(ctx, "field.cutoff"), before.Cutoff.String(), after.Cutoff.String())
	add(locale.T(ctx, "field.marginSeconds"), wait(before.Margin), wait(after.Margin))
	add(locale.T(ctx, "field.answerSeconds"), wait(before.Answer), wait(after.Answer))
	add(locale.T(ctx, "field.resultSeconds"), wait(before.Result), wait(after.Result))
	add(locale.T(ctx, "field.quietSeconds"), wait(before.Quiet), wait(after.Quiet))
	add(locale.T(ctx, "field.printReceipt"), words.YesNo(ctx, before.PrintReceipt), words.YesNo(ctx, after.PrintReceipt))
	add(locale.T(ctx, "field.managersSettle"), words.YesNo(ctx, before.ManagersResolve), words.YesNo(ctx, after.ManagersResolve))
	for _, code := range keys(before.ReasonReceipts, after.ReasonReceipts) {
		add(locale.T(ctx, "rules.receiptFor", "Name", words.ReasonLabel(ctx, n.Reasons, code)),
			receiptWord(ctx, before.ReasonReceipts, code), receiptWord(ctx, after.ReasonReceipts, code))
	}
	for _, id := range keys(before.StoreReceipts, after.StoreReceipts) {
		add(locale.T(ctx, "rules.receiptFor", "Name", n.store(id)),
			receiptWord(ctx, before.StoreReceipts, id), receiptWord(ctx, after.StoreReceipts, id))
	}
	return all
}

func keys[K interface{ ~int64 | ~string }](a, b map[K]bool) []K {
	var all []K
	for k := range a {
		all = append(all, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return all
}

func receiptWord[K comparable](ctx context.Context, m map[K]bool, key K) string {
	if print, ok := m[key]; ok {
		return words.ReceiptValue(ctx, print)
	}
	return words.ReceiptValue(ctx, nil)
}

// wait writes a duration as people set it: 5 s, 180 s (3 min).
func wait(d time.Duration) string {
	s := strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	if d < time.Minute {
		return s
	}
	m := strconv.Itoa(int(d/time.Minute)) + " min"
	if rest := d % time.Minute; rest > 0 {
		m += " " + strconv.FormatFloat(rest.Seconds(), 'f', -1, 64) + " s"
	}
	return s + " (" + m + ")"
}

// receiptOptions are the choices of a store's or a reason's receipt.
func receiptOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: rules.ReceiptGeneral, Text: locale.T(ctx, "rules.asGeneral")},
		{Value: rules.ReceiptPrint, Text: locale.T(ctx, "rules.print")},
		{Value: rules.ReceiptOmit, Text: locale.T(ctx, "rules.omit")},
	}
}

// typed returns what the form says of a receipt.
func (v *RulesView) typed(storeID int64, reason string) string {
	for _, r := range v.Form.Receipts {
		if r.StoreID == storeID && r.Reason == reason {
			return r.Print
		}
	}
	return rules.ReceiptGeneral
}

// storeExceptions are the stores that the form has a line for.
func (v *RulesView) storeExceptions() []int64 {
	seen := map[int64]bool{}
	for _, r := range v.Form.Receipts {
		if r.StoreID != 0 {
			seen[r.StoreID] = true
		}
	}
	return keys(seen, nil)
}

// waitsRefused reports whether a wait in seconds was refused: then it is in sight.
func (v *RulesView) waitsRefused() bool {
	return v.Errors["margin"] != "" || v.Errors["answer"] != "" || v.Errors["result"] != "" || v.Errors["quiet"] != ""
}

// otherStores are those without a line of their own.
func (v *RulesView) otherStores() []models.Store {
	taken := v.storeExceptions()
	var others []models.Store
	for i := range v.Stores {
		if !slices.Contains(taken, v.Stores[i].ID) {
			others = append(others, v.Stores[i])
		}
	}
	return others
}

func (v *RulesView) reasonsInUse() []models.Reason {
	var used []models.Reason
	for _, r := range v.Reasons {
		if r.RetiredAt == nil {
			used = append(used, r)
		}
	}
	return used
}

// order is that of the form's fields, for the summary of what was refused.
func (v *RulesView) order() []string {
	fields := []string{"cutoff", "laterCutoff", "margin", "answer", "result", "quiet"}
	for _, r := range v.reasonsInUse() {
		fields = append(fields, "receipt."+r.Code)
	}
	for _, id := range v.storeExceptions() {
		fields = append(fields, "receiptStore."+ui.Itoa(id))
	}
	return append(fields, "from=rules.from", "note=rules.note")
}

// askLater reports whether the form asks to confirm a cut-off after the
// service's: it does so from the start when it was refused for that, or was
// ticked; without scripts nobody else can know.
func (v *RulesView) askLater() bool { return v.Form.LaterCutoff || v.Errors["laterCutoff"] != "" }

// seen is how the form carries which rules it was drawn with.
func seen(s rules.Shown) string {
	return strings.Join([]string{strconv.Itoa(s.Revision), strconv.FormatInt(s.At.UnixMicro(), 10)}, ".")
}

func tomorrow(p ui.Page) string {
	y, m, d := p.Now.In(p.Zone()).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, p.Zone()).Format(time.DateOnly)
}

// openReceipts reports whether a part of the form has something to correct.
func (v *RulesView) openReceipts(prefix string) bool {
	for field := range v.Errors {
		if strings.HasPrefix(field, prefix) {
			return true
		}
	}
	return false
}

// exceptions counts what differs from the general rule.
func (v *RulesView) exceptions(ctx context.Context, n int) string {
	if n == 0 {
		return locale.T(ctx, "rules.noExceptions")
	}
	return locale.T(ctx, "rules.exceptions", "Count", n, "N", strconv.Itoa(n))
}

// versionState is what has become of a version.
func versionState(past *rules.PastRules, now time.Time) string {
	switch {
	case past.WithdrawnAt != nil:
		return "takenBack"
	case past.Planned(now):
		return "isPlanned"
	}
	return "inForce"
}
