package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	"veinte/models/database"
)

// alertBatch is how many entries one transaction reads, and watchBudget for how long it
// judges them: the sealer takes no entry while an older transaction runs.
const (
	alertBatch  = 1000
	watchBudget = 250 * time.Millisecond
)

// Watch reads the entries since its last run, and what has been open for too long,
// and raises alerts by the rules. It queues what is mailed every day, too.
//
// The cursor over the trail moves in the transaction that raises what was found, and
// passes only entries below the oldest running transaction, so an entry that commits
// later is never skipped. Each cause is therefore raised exactly once, even after a
// crash, and by any process. Checking in the transaction of every action would cost
// more, and two at once would not see each other's counts.
func (a *Service) Watch(ctx context.Context) error {
	for more := true; more; {
		err := a.db.InTx(ctx, func(t database.Tx) (err error) {
			more, err = a.watch(ctx, t)
			return err
		})
		if err != nil {
			return fmt.Errorf("watch for alerts: %w", err)
		}
	}
	return a.mailCheckpoints(ctx)
}

func (a *Service) watch(ctx context.Context, t database.Tx) (more bool, err error) {
	mine, err := t.TryLock(ctx, database.LockAlerts)
	if err != nil || !mine {
		return false, err // another process is checking
	}
	list, err := a.rules(t)
	if err != nil {
		return false, err
	}
	rules := map[Kind]*AlertRule{}
	for i := range list {
		rules[list[i].Kind] = &list[i]
	}
	now := a.clock.Now().UTC().Truncate(time.Microsecond)
	entries, err := nextEntries(t)
	if err != nil {
		return false, err
	}
	judged, err := a.judgeAll(ctx, t, rules, entries, now)
	if err != nil {
		return false, err
	}
	if judged < len(entries) || judged == alertBatch {
		return true, nil
	}
	if err := a.checkAbsences(ctx, t, rules, now); err != nil {
		return false, err
	}
	if err := abandonMail(t, now); err != nil {
		return false, err
	}
	return false, a.notifyRepeats(t, rules, now)
}

// judgeAll applies the rules to the next entries, as many as the budget allows, and moves
// the cursor past them. It returns how many.
func (a *Service) judgeAll(
	ctx context.Context, t database.Tx, rules map[Kind]*AlertRule, entries []models.AuditEntry, now time.Time,
) (judged int, err error) {
	if len(entries) == 0 {
		return 0, nil
	}
	b, err := newBatch(ctx, t, rules, entries)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	for judged < len(entries) && (judged == 0 || time.Since(begun) < a.budget) {
		if err := a.judge(ctx, t, rules, &entries[judged], b, now); err != nil {
			return judged, err
		}
		judged++
	}
	last := entries[judged-1]
	return judged, t.Exec(`UPDATE alert_cursor SET (era, txid, id) =
		(SELECT e.era, e.txid, e.id FROM audit_entries e WHERE e.id = ? AND e.at = ?)`, last.ID, last.At).Error
}

// watched reads a range of one era, by the index of commit order. Its limit is in
// its text and the cursor is passed as values: with a join, the planner would read
// the whole trail each time.
var watched = fmt.Sprintf(`SELECT * FROM audit_entries
	WHERE era = ? AND (txid, id) > (?::text::xid8, ?) AND txid < ?::text::xid8 ORDER BY txid, id LIMIT %d`, alertBatch)

// nextEntries reads the entries after the cursor. The first run begins with what happens
// from then on.
func nextEntries(t database.Tx) ([]models.AuditEntry, error) {
	var until audit.Horizon
	err := t.Raw(`SELECT trail_era() AS era, pg_snapshot_xmin(pg_current_snapshot())::text AS txid`).Scan(&until).Error
	if err != nil {
		return nil, fmt.Errorf("read horizon of the trail: %w", err)
	}
	first := t.Exec(`INSERT INTO alert_cursor (era, txid, id) VALUES (?, ?::text::xid8, 0) ON CONFLICT DO NOTHING`, until.Era, until.Txid)
	if first.Error != nil {
		return nil, fmt.Errorf("begin to watch the trail: %w", first.Error)
	}
	if first.RowsAffected > 0 {
		return nil, nil
	}
	var from audit.StreamPosition
	if err := t.Raw(`SELECT era, txid::text, id FROM alert_cursor`).Scan(&from).Error; err != nil {
		return nil, fmt.Errorf("read the cursor of alerts: %w", err)
	}
	var entries []models.AuditEntry
	for ; from.Era <= until.Era && len(entries) == 0; from = (audit.StreamPosition{Era: from.Era + 1, Txid: "0"}) {
		if err := t.Raw(watched, from.Era, from.Txid, from.Id, until.Of(from.Era)).Scan(&entries).Error; err != nil {
			return nil, fmt.Errorf("read entries to judge: %w", err)
		}
	}
	return entries, nil
}

// findingOf begins a finding about an entry.
func findingOf(e *models.AuditEntry, subject string) finding {
	f := finding{
		cause: "entry " + models.JsonNumber(e.ID), subject: subject, storeID: e.StoreID, storeName: e.StoreName, saleID: e.SaleID,
		entryID: &e.ID, facts: Facts{Order: e.OrderID, Serial: e.SerialNumber, Action: e.Action},
	}
	if e.ActorID != nil {
		f.facts.Person = e.ActorName
	}
	if e.Amount != nil {
		f.facts.Amount = *e.Amount
	}
	return f
}

// thingSubject is the sale that an entry is about, else its terminal, else its
// store, so that a large amount is never hidden behind a small one of the same
// store.
func thingSubject(e *models.AuditEntry) string {
	switch {
	case e.SaleID != nil:
		return "sale " + models.JsonNumber(*e.SaleID)
	case e.SerialNumber != "":
		return "terminal " + e.SerialNumber
	}
	return storeSubject(e.StoreID)
}

// personSubject is who did it. People and programs are counted separately, because
// the same number may be one of each.
func personSubject(e *models.AuditEntry) string {
	if e.ActorRole == models.Integration {
		return "program " + models.JsonNumber(*e.ActorID)
	}
	return "person " + models.JsonNumber(*e.ActorID)
}

func storeSubject(id *int64) string {
	if id == nil {
		return "no store"
	}
	return "store " + models.JsonNumber(*id)
}

// judge applies every rule to an entry.
func (a *Service) judge(
	ctx context.Context, t database.Tx, rules map[Kind]*AlertRule, e *models.AuditEntry, b *batch, now time.Time,
) error {
	switch e.Action {
	case models.ActionCancellationRequested:
		return a.judgeRequest(t, rules, e, b, now)
	case models.ActionCancellationMoved:
		return a.judgeRate(ctx, t, rules[KindRate], e, b, now)
	case models.ActionCancellationConflict, models.ActionResultConflict, models.ActionResultUnmatched:
		return a.raise(t, rules[KindConflict], findingOf(e, thingSubject(e)), now)
	case models.ActionLogin:
		return a.judgeSignIn(t, rules[KindSignIns], e, b, now)
	case models.ActionUserCreated, models.ActionUserChanged, models.ActionUserEnabled, models.ActionKeyCreated,
		models.ActionRightsConfirmed, models.ActionSSOGroups:
		return a.judgeRights(t, rules[KindRights], e, now)
	case models.ActionBreakGlass:
		// Each use is a subject of its own, so it is always notified at once.
		return a.raise(t, rules[KindBreakGlass], findingOf(e, "break-glass "+models.JsonNumber(e.ID)), now)
	case models.ActionPasskeyCloned:
		return a.raise(t, rules[KindCopied], findingOf(e, "copied passkey "+models.JsonNumber(e.ID)), now)
	case models.ActionAuditCompared:
		return a.judgeComparison(t, rules[KindTables], e, now)
	case models.ActionDayClosed:
		return a.raise(t, rules[KindClosing], closingFinding(e), now)
	}
	if contradictsTrail(e) {
		// Each is a subject of its own, so it is always notified at once.
		return a.raise(t, rules[KindTrail], findingOf(e, "contradiction "+models.JsonNumber(e.ID)), now)
	}
	return nil
}

// contradictsTrail reports whether an entry means that the trail was changed. A
// verification that was refused or could not run, and an export that was aborted, do
// not.
func contradictsTrail(e *models.AuditEntry) bool {
	switch e.Action {
	case models.ActionSealingStopped, models.ActionCheckpointsMissing, models.ActionAttestationRefused:
		return true
	case models.ActionAuditVerified:
		var found struct{ VerificationState verify.RunState }
		return json.Unmarshal(e.After, &found) == nil && found.VerificationState == verify.RunAltered
	}
	return false
}

// judgeComparison raises what a comparison of the tables with the trail found for the first
// time. What stands as it did was told, and is on the pages.
func (a *Service) judgeComparison(t database.Tx, r *AlertRule, e *models.AuditEntry, now time.Time) error {
	var found struct {
		NewDifferences int64
		First          []struct{ Table, Row string }
	}
	if json.Unmarshal(e.After, &found) != nil || found.NewDifferences == 0 {
		return nil
	}
	f := findingOf(e, "comparison "+models.JsonNumber(e.ID))
	f.facts.Count = found.NewDifferences
	if len(found.First) > 0 {
		f.facts.Row = found.First[0].Table + " " + found.First[0].Row
	}
	return a.raise(t, r, f, now)
}

func (a *Service) judgeSignIn(t database.Tx, r *AlertRule, e *models.AuditEntry, b *batch, now time.Time) error {
	if !r.Active || e.Outcome == models.OutcomeSuccess {
		return nil
	}
	f := findingOf(e, "signIns")
	f.facts.Minutes, f.facts.Address, f.facts.Person = r.Minutes, e.Address, ""
	f.facts.Count, _ = b.signIns.within(time.Duration(r.Minutes)*time.Minute, e.At)
	if f.facts.Count < int64(r.Count) {
		return nil
	}
	return a.raise(t, r, a.within(f, e.At, r.Minutes), now)
}

func (a *Service) judgeRequest(t database.Tx, rules map[Kind]*AlertRule, e *models.AuditEntry, b *batch, now time.Time) error {
	amount, late, left := rules[KindAmount], rules[KindLate], a.calendar().Cutoff(e.At).Sub(e.At)
	if e.Amount != nil && *e.Amount >= amount.Amount {
		if err := a.raise(t, amount, a.within(findingOf(e, thingSubject(e)), e.At, 0), now); err != nil {
			return err
		}
	}
	if left > 0 && left <= time.Duration(late.Minutes)*time.Minute {
		if err := a.raise(t, late, a.within(findingOf(e, thingSubject(e)), e.At, 0), now); err != nil {
			return err
		}
	}
	r := rules[KindPerson]
	if !r.Active || e.ActorID == nil || !r.covers(e.StoreID) {
		return nil
	}
	all := b.requests[personSubject(e)]
	requests, stores := all.within(time.Duration(r.Minutes)*time.Minute, e.At)
	if requests <= int64(r.Count) {
		return nil
	}
	f := findingOf(e, personSubject(e))
	f.facts.Count, f.facts.Minutes, f.facts.Order, f.facts.Amount, f.saleID = requests, r.Minutes, "", 0, nil
	if stores { // a count over several stores is for users who see all of them
		f.covered, f.storeID, f.storeName, f.entryID, f.facts.Serial = true, nil, "", nil, ""
	} else { // and that of one store never goes into an alert of another
		f.subject += " " + storeSubject(e.StoreID)
	}
	return a.raise(t, r, a.within(f, e.At, r.Minutes), now)
}

// within sets the days of a finding: the minutes up to an instant.
func (a *Service) within(f finding, at time.Time, minutes int) finding {
	f.facts.From, f.facts.Day = a.calendar().Day(at.Add(-time.Duration(minutes)*time.Minute)), a.calendar().Day(at)
	return f
}

// averageDays is how far back a store's own average goes.
const averageDays = 28

// rate is how a store cancels on a day, and before it.
type rate struct{ Sales, Canceled, PastSales, PastCanceled, PastDays int64 }

// rateOf reads the rate of a store, once a batch.
func (b *batch) rateOf(ctx context.Context, t database.Tx, store int64, day models.Day) (*rate, error) {
	of := models.JsonNumber(store) + " " + string(day)
	if b.rates[of] != nil {
		return b.rates[of], nil
	}
	sums, err := database.TxRows[rate](ctx, t, `SELECT
			sum(sales) FILTER (WHERE business_day = $2) AS sales, sum(canceled) FILTER (WHERE business_day = $2) AS canceled,
			sum(sales) FILTER (WHERE business_day < $2) AS past_sales, sum(canceled) FILTER (WHERE business_day < $2) AS past_canceled,
			count(DISTINCT business_day) FILTER (WHERE business_day < $2 AND sales > 0) AS past_days
		FROM day_totals WHERE store_id = $1 AND business_day BETWEEN $2::date - $3::int AND $2`, store, day, averageDays)
	if err != nil {
		return nil, fmt.Errorf("read rate of store %d: %w", store, err)
	}
	b.rates[of] = &sums[0]
	return b.rates[of], nil
}

// judgeRate compares a store's rate of cancellations today with its average.
func (a *Service) judgeRate(ctx context.Context, t database.Tx, r *AlertRule, e *models.AuditEntry, b *batch, now time.Time) error {
	var to struct{ State models.State }
	if !r.Active || e.StoreID == nil || json.Unmarshal(e.After, &to) != nil || to.State != models.Confirmed {
		return nil
	}
	day := a.calendar().Day(e.At)
	s, err := b.rateOf(ctx, t, *e.StoreID, day)
	if err != nil {
		return err
	}
	ours, usual := s.Canceled*s.PastSales*100, s.PastCanceled*s.Sales // in percent of the average: ours / usual
	if s.Sales == 0 || s.PastSales == 0 || s.Canceled < int64(r.Count) || ours <= int64(r.Factor)*usual {
		return nil
	}
	f := findingOf(e, storeSubject(e.StoreID))
	f.cause = "rate " + models.JsonNumber(*e.StoreID) + " " + string(day)
	f.facts = Facts{Count: s.Canceled, Sales: s.Sales, Known: s.PastDays, From: day, Day: day}
	if usual > 0 {
		f.facts.Percent = ours / usual
	}
	f.saleID = nil
	return a.raise(t, r, f, now)
}

// closingFinding reads the figures of a closing report from its entry.
func closingFinding(e *models.AuditEntry) finding {
	var report struct {
		Day                    models.Day
		SHA256                 string
		Sales, Canceled, Doubt int64
		Amount                 models.Money
	}
	_ = json.Unmarshal(e.After, &report) // what cannot be parsed is left out: the report has it
	f := findingOf(e, "closing "+string(report.Day))
	f.facts = Facts{
		Day: report.Day, SHA256: report.SHA256, Sales: report.Sales, Canceled: report.Canceled, Doubt: report.Doubt, Amount: report.Amount,
	}
	return f
}
