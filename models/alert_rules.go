package models

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Alerts raises alerts by rules, and sends letters about them.
type Alerts struct {
	db         *DB
	clock      Clock
	calendar   func() Calendar
	deliveries *Deliveries
	canMail    bool
	began      time.Time

	sealing, checkpointsLeave bool
}

// AlertsConfig is what alerts are made of.
type AlertsConfig struct {
	DB         *DB
	Clock      Clock
	Calendar   func() Calendar // the rules of now
	Deliveries *Deliveries     // nil: no webhook is told
	CanMail    bool            // a mail server is set

	Sealing          bool // this process has a key to seal the trail
	CheckpointsLeave bool // and a directory for checkpoints outside the database
}

// NewAlerts makes the service.
func NewAlerts(c AlertsConfig) *Alerts {
	return &Alerts{
		db: c.DB, clock: c.Clock, calendar: c.Calendar, deliveries: c.Deliveries, canMail: c.CanMail,
		began: c.Clock.Now(), sealing: c.Sealing, checkpointsLeave: c.CheckpointsLeave,
	}
}

// CanMail reports whether a mail server is set.
func (a *Alerts) CanMail() bool { return a.canMail }

// Rules lists the rules in the order of their kinds.
//
// Errors: ErrForbidden.
func (a *Alerts) Rules(ctx context.Context, actor Actor) ([]AlertRule, error) {
	if !actor.May(ManageSettings) {
		return nil, ErrForbidden
	}
	return a.rules(tx{DB: a.db.gorm.WithContext(ctx)})
}

func (a *Alerts) rules(t tx) ([]AlertRule, error) {
	var all []AlertRule
	if err := t.Find(&all).Error; err != nil {
		return nil, fmt.Errorf("read rules of alerts: %w", err)
	}
	slices.SortFunc(all, func(x, y AlertRule) int { return slices.Index(AlertKinds, x.Kind) - slices.Index(AlertKinds, y.Kind) })
	return all, nil
}

// Rule returns the rule of a kind.
//
// Errors: ErrForbidden, ErrNotFound.
func (a *Alerts) Rule(ctx context.Context, actor Actor, kind AlertKind) (*AlertRule, error) {
	if !actor.May(ManageSettings) {
		return nil, ErrForbidden
	}
	var r AlertRule
	if !slices.Contains(AlertKinds, kind) {
		return nil, ErrNotFound
	}
	return &r, take(a.db.gorm.WithContext(ctx).Where("kind = ?", kind), &r)
}

// AlertRuleInput is a rule as a form gives it.
type AlertRuleInput struct {
	Kind                                  AlertKind
	Version                               int
	Active, AllStores, Webhook            bool
	Count, Minutes, Amount, Factor, Quiet string
	StoreIDs                              []int64
	Emails                                string // one in a line, or by commas
	Language                              string
}

// Input is a rule as its form shows it.
func (r *AlertRule) Input() AlertRuleInput {
	return AlertRuleInput{
		Kind: r.Kind, Version: r.Version, Active: r.Active, AllStores: r.AllStores, Webhook: r.Webhook,
		Count: strconv.Itoa(r.Count), Minutes: strconv.Itoa(r.Minutes), Amount: r.Amount.Decimal(), Factor: strconv.Itoa(r.Factor),
		Quiet: strconv.Itoa(r.QuietMinutes), StoreIDs: r.StoreIDs, Emails: strings.Join(r.Emails, "\n"), Language: r.Language,
	}
}

// The most that a rule takes.
const (
	mostAlertCount   = 10_000
	mostAlertMinutes = 60 * 24 * 30
	mostAlertFactor  = 10_000
	mostQuietMinutes = 60 * 24
	mostRecipients   = 10
)

// check judges every field; all that is wrong is told at once.
func (in AlertRuleInput) check(canMail bool) (r AlertRule, err error) {
	var wrong Refusals
	number := func(field, s string, least, most int) int {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < least || n > most {
			wrong = append(wrong, Invalid(field, "alert."+field+"Invalid"))
			return least
		}
		return n
	}
	uses := in.Kind.Uses()
	r = AlertRule{Kind: in.Kind, Active: in.Active, AllStores: true, Webhook: in.Webhook, Language: in.Language}
	if uses.Count {
		r.Count = number("count", in.Count, 1, mostAlertCount)
	}
	if uses.Minutes {
		r.Minutes = number("minutes", in.Minutes, 1, mostAlertMinutes)
	}
	if uses.Factor {
		r.Factor = number("factor", in.Factor, 101, mostAlertFactor)
	}
	if uses.Amount {
		var err error
		if r.Amount, err = ParseMoney(strings.NewReplacer("$", "", ",", "").Replace(strings.TrimSpace(in.Amount))); err != nil || r.Amount <= 0 || r.Amount > mostMoney {
			wrong = append(wrong, Invalid("amount", "amount.invalid"))
		}
	}
	if uses.Stores && !in.AllStores {
		r.AllStores, r.StoreIDs = false, slices.Compact(slices.Sorted(slices.Values(in.StoreIDs)))
		if len(r.StoreIDs) == 0 {
			wrong = append(wrong, Invalid("stores", "endpoint.storesRequired"))
		}
	}
	if r.Language != "es-MX" && r.Language != "en" {
		wrong = append(wrong, Invalid("language", "filter.invalid"))
	}
	r.QuietMinutes = number("quiet", in.Quiet, 0, mostQuietMinutes)
	var refused *Error
	if r.Emails, refused = parseRecipients(in.Emails); refused != nil {
		wrong = append(wrong, refused)
	} else if len(r.Emails) > 0 && !canMail {
		wrong = append(wrong, Invalid("emails", "alert.noMail"))
	}
	if len(wrong) > 0 {
		return r, wrong
	}
	return r, nil
}

// parseRecipients reads addresses. One that could be taken for a header, a list or
// a name is refused: nothing of it reaches a mail server.
func parseRecipients(s string) (Texts, *Error) {
	var all Texts
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ';' }) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		email, err := ParseEmail(line)
		parsed, badly := mail.ParseAddress(email)
		if err != nil || badly != nil || parsed.Address != email || parsed.Name != "" || strings.ContainsAny(email, `"\{}<>()`) {
			return nil, Invalid("emails", "alert.emailInvalid")
		}
		if !slices.Contains(all, email) {
			all = append(all, email)
		}
	}
	if len(all) > mostRecipients {
		return nil, Invalid("emails", "alert.tooMany")
	}
	return all, nil
}

// ChangeRule changes a rule. It holds for what happens from now on.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or Refusals of fields.
func (a *Alerts) ChangeRule(ctx context.Context, actor Actor, in AlertRuleInput) error {
	if !actor.May(ManageSettings) {
		return ErrForbidden
	}
	if !slices.Contains(AlertKinds, in.Kind) {
		return ErrNotFound
	}
	r, err := in.check(a.canMail)
	if err != nil {
		return err
	}
	err = a.db.transaction(ctx, func(t tx) error {
		var was AlertRule
		if err := take(t.Where("kind = ?", in.Kind), &was); err != nil {
			return err
		}
		if err := t.storesExist(r.StoreIDs); err != nil {
			return err
		}
		now := a.clock.Now()
		done := t.Model(&AlertRule{}).Where("kind = ? AND version = ?", in.Kind, in.Version).Updates(map[string]any{
			"active": r.Active, "count": r.Count, "minutes": r.Minutes, "amount": r.Amount, "factor": r.Factor, "all_stores": r.AllStores,
			"store_ids": r.StoreIDs, "emails": r.Emails, "language": r.Language, "webhook": r.Webhook, "quiet_minutes": r.QuietMinutes,
			"version": in.Version + 1, "changed_at": now, "changed_by": actor.Name,
		})
		if done.Error != nil {
			return done.Error
		}
		if done.RowsAffected != 1 {
			return ErrStale
		}
		return t.record(actor, now, ActionAlertRule, OutcomeSuccess, about{before: was.told(), after: r.told()})
	})
	var known *Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("change rule %s: %w", in.Kind, err)
	}
	return err
}
