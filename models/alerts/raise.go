package alerts

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// finding is something that a rule found.
type finding struct {
	cause, subject string
	storeID        *int64
	storeName      string
	saleID         *int64
	entryID        *int64
	covered        bool // it is of several stores, all covered by the rule
	facts          Facts
}

// factSize is the size of what an alert reports: its amount, or its count.
const factSize = `greatest(coalesce((facts->>'amountCentavos')::bigint, 0), coalesce((facts->>'count')::bigint, 0))`

// raise turns a finding into an alert with its letters, its webhooks and its entry,
// or adds it to the count of the alert that its subject already has within the quiet
// period. What was raised or counted before is skipped. The caller holds the lock of
// the watch.
func (a *Service) raise(t database.Tx, r *AlertRule, f finding, now time.Time) error {
	// What cannot be switched off is not, whatever its row says.
	if !r.Active && !r.Kind.Always() || !f.covered && !r.covers(f.storeID) {
		return nil
	}
	f.cause, f.subject = models.Truncate(f.cause, 200), models.Truncate(f.subject, 200)
	var known bool
	err := t.Raw(`SELECT EXISTS (SELECT FROM alerts WHERE kind = @kind AND cause = @cause)
		OR EXISTS (SELECT FROM alert_repeats WHERE kind = @kind AND cause = @cause)`,
		map[string]any{"kind": r.Kind, "cause": f.cause}).Scan(&known).Error
	if err != nil || known {
		return err
	}
	facts, err := json.Marshal(f.facts)
	if err != nil {
		return fmt.Errorf("write alert %s: %w", r.Kind, err)
	}
	// Of those that are counted, the greatest is named.
	counted := t.Exec(`WITH quiet AS (
			UPDATE alerts SET times = times + 1, last_at = @now,
				facts = CASE WHEN @size > `+factSize+` THEN CAST(@facts AS jsonb) ELSE facts END WHERE id = (
				SELECT id FROM alerts WHERE kind = @kind AND subject = @subject AND quiet_until > @now ORDER BY quiet_until DESC LIMIT 1) RETURNING id)
		INSERT INTO alert_repeats (kind, cause, alert_id, at) SELECT @kind, @cause, id, CAST(@now AS timestamptz) FROM quiet`,
		map[string]any{
			"kind": r.Kind, "cause": f.cause, "subject": f.subject, "now": now,
			"facts": string(facts), "size": max(int64(f.facts.Amount), f.facts.Count),
		})
	if counted.Error != nil || counted.RowsAffected > 0 {
		return counted.Error
	}
	alert := &Alert{
		Kind: r.Kind, Cause: f.cause, Subject: f.subject,
		RaisedAt: now, QuietUntil: now.Add(time.Duration(r.QuietMinutes) * time.Minute), LastAt: now,
		Times: 1, Notified: 1, StoreID: f.storeID, StoreName: f.storeName, SaleID: f.saleID, EntryID: f.entryID, Facts: facts,
	}
	if err := t.Create(alert).Error; err != nil {
		return fmt.Errorf("raise alert %s: %w", r.Kind, err)
	}
	if err := a.notify(t, r, alert, 0, now); err != nil {
		return err
	}
	about := audit.About{After: map[string]any{"alert": alert.ID, "rule": r.Kind, "facts": f.facts}}
	if f.storeID != nil {
		about.Store = &models.Store{ID: *f.storeID, Name: f.storeName}
	}
	return audit.Record(t, models.System("alerts", ""), now, models.ActionAlertRaised, models.OutcomeSuccess, about)
}

// notify queues letters and webhooks: about the alert itself, or about how often it
// happened again.
func (a *Service) notify(t database.Tx, r *AlertRule, alert *Alert, more int, now time.Time) error {
	recipients, err := a.recipients(t, r, now)
	if err != nil {
		return err
	}
	for _, to := range recipients {
		// Locked out users get no letter, although the rule still names them.
		err := t.Exec(`INSERT INTO mails (alert_id, more, recipient, language, due_at, created_at)
			SELECT @alert, @more, @to, coalesce((SELECT nullif(language, '') FROM users WHERE email = @to), @language), @now, @now
			WHERE NOT EXISTS (SELECT FROM users WHERE email = @to AND (disabled_at IS NOT NULL OR access_until < @today))`,
			map[string]any{
				"today": models.AccessDay(now), "alert": alert.ID, "more": more, "to": to, "language": r.Language, "now": now,
			}).Error
		if err != nil {
			return fmt.Errorf("write letter of alert %d: %w", alert.ID, err)
		}
	}
	if !r.Webhook {
		return nil
	}
	facts, err := publicFacts(alert.Facts)
	if err != nil {
		return err
	}
	data := map[string]any{
		"alertId": alert.ID, "rule": alert.Kind, "store": alert.StoreName, "saleId": alert.SaleID,
		"again": more, "facts": facts,
	}
	return a.deliveries.Publish(t, webhooks.Event{
		Type: webhooks.EventAlertRaised, At: now, StoreID: alert.StoreID, Lane: "alerts", Data: data,
	})
}

// recipients are those whom the rule names. What cannot be switched off is told to every
// supervisor and auditor too, where there is mail.
func (a *Service) recipients(t database.Tx, r *AlertRule, now time.Time) ([]string, error) {
	to := slices.Clone([]string(r.Emails))
	if !r.Kind.Always() || !a.canMail {
		return to, nil
	}
	var people []string
	err := t.Raw(`SELECT email FROM users WHERE role IN ? AND disabled_at IS NULL AND (access_until IS NULL OR access_until >= ?)
		AND email !~ '[[:cntrl:]]' ORDER BY id`, []models.Role{models.Supervisor, models.Auditor}, models.AccessDay(now)).Scan(&people).Error
	if err != nil {
		return nil, fmt.Errorf("list who oversees: %w", err)
	}
	for _, email := range people {
		if !slices.Contains(to, email) {
			to = append(to, email)
		}
	}
	return to, nil
}

// publicFacts are the facts as webhooks carry them: with the amount as text, as in the
// API, beside amountCentavos, its old form until models.OldNamesEnd.
func publicFacts(stored []byte) (map[string]any, error) {
	facts := map[string]any{}
	if err := json.Unmarshal(stored, &facts); err != nil {
		return nil, fmt.Errorf("read facts of an alert: %w", err)
	}
	if centavos, ok := facts["amountCentavos"].(float64); ok {
		facts["amount"] = models.Money(centavos).Decimal()
	}
	return facts, nil
}

// notifyRepeats notifies, once their quiet period is over, how often alerts happened
// again.
func (a *Service) notifyRepeats(t database.Tx, rules map[Kind]*AlertRule, now time.Time) error {
	var due []Alert
	if err := t.Where("told < times AND quiet_until <= ?", now).Order("id").Limit(100).Find(&due).Error; err != nil {
		return fmt.Errorf("look for repeated alerts: %w", err)
	}
	for i := range due {
		x := &due[i]
		if r := rules[x.Kind]; r != nil && r.Active {
			if err := a.notify(t, r, x, x.Times-x.Notified, now); err != nil {
				return err
			}
		}
		if err := t.Exec(`UPDATE alerts SET told = times WHERE id = ?`, x.ID).Error; err != nil {
			return fmt.Errorf("note repeats of alert %d: %w", x.ID, err)
		}
	}
	return nil
}
