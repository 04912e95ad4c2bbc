package alerts

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/rules"
	"veinte/models/webhooks"
)

// Service raises alerts by rules, and queues letters about them.
type Service struct {
	db          *database.DB
	clock       models.Clock
	calendar    func() models.Calendar
	deliveries  *webhooks.Service
	canMail     bool
	links       links
	checkpoints Checkpoints
	mailedDay   atomic.Pointer[models.Day] // the last whose checkpoint this process queued for everybody
	began       time.Time
	budget      time.Duration // of one transaction of Watch

	sealing, checkpointsLeave bool
}

// links makes the token of a link for its letter, and reads what a person is told.
type links interface {
	MailedLink(ctx context.Context, id int64) (*accounts.Link, error)
	NoticeOf(ctx context.Context, id int64) (*models.AccountNotice, error)
}

// Config has the dependencies of Service.
type Config struct {
	DB          *database.DB
	Clock       models.Clock
	Calendar    func() models.Calendar // the rules that are in force now
	Deliveries  *webhooks.Service      // nil: webhooks are not notified
	CanMail     bool                   // a mail server is set
	Links       links
	Checkpoints Checkpoints

	Sealing          bool // this process has a key to seal the trail
	CheckpointsLeave bool // and a directory for checkpoints outside the database
}

// New makes the service.
func New(c Config) *Service {
	return &Service{
		budget: watchBudget,
		db:     c.DB, clock: c.Clock, calendar: c.Calendar, deliveries: c.Deliveries, canMail: c.CanMail, links: c.Links,
		checkpoints: c.Checkpoints, began: c.Clock.Now(), sealing: c.Sealing, checkpointsLeave: c.CheckpointsLeave,
	}
}

// CanMail reports whether a mail server is set.
func (a *Service) CanMail() bool { return a.canMail }

// Rules lists the rules in the order of their kinds.
//
// Errors: ErrForbidden.
func (a *Service) Rules(ctx context.Context, actor models.Actor) ([]AlertRule, error) {
	if !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	return a.rules(database.Tx{DB: a.db.Gorm().WithContext(ctx)})
}

func (a *Service) rules(t database.Tx) ([]AlertRule, error) {
	var all []AlertRule
	if err := t.Find(&all).Error; err != nil {
		return nil, fmt.Errorf("read rules of alerts: %w", err)
	}
	slices.SortFunc(all, func(x, y AlertRule) int { return slices.Index(Kinds, x.Kind) - slices.Index(Kinds, y.Kind) })
	return all, nil
}

// Rule returns the rule of a kind.
//
// Errors: ErrForbidden, ErrNotFound.
func (a *Service) Rule(ctx context.Context, actor models.Actor, kind Kind) (*AlertRule, error) {
	if !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	var r AlertRule
	if !slices.Contains(Kinds, kind) {
		return nil, models.ErrNotFound
	}
	return &r, database.TakeRow(a.db.Gorm().WithContext(ctx).Where("kind = ?", kind), &r)
}

// RuleInput is a rule as a form gives it.
type RuleInput struct {
	Kind                                  Kind
	Version                               int
	Active, AllStores, Webhook            bool
	Count, Minutes, Amount, Factor, Quiet string
	StoreIDs                              []int64
	Emails                                string // one in a line, or by commas
	Language                              string
}

// Input is a rule as its form shows it.
func (r *AlertRule) Input() RuleInput {
	return RuleInput{
		Kind: r.Kind, Version: r.Version, Active: r.Active, AllStores: r.AllStores, Webhook: r.Webhook,
		Count: strconv.Itoa(r.Count), Minutes: strconv.Itoa(r.Minutes), Amount: r.Amount.Decimal(), Factor: strconv.Itoa(r.Factor),
		Quiet: strconv.Itoa(r.QuietMinutes), StoreIDs: r.StoreIDs, Emails: strings.Join(r.Emails, "\n"), Language: r.Language,
	}
}

// The limits of a rule.
const (
	maxAlertCount   = 10_000
	maxAlertMinutes = 60 * 24 * 30
	maxAlertFactor  = 10_000
	maxQuietMinutes = 60 * 24
	maxRecipients   = 10
)

// check validates every field and reports all errors at once.
func (in RuleInput) check(canMail bool) (r AlertRule, err error) {
	var wrong rules.Refusals
	number := func(field, s string, least, most int) int {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < least || n > most {
			wrong = append(wrong, models.Invalid(field, "alert."+field+"Invalid"))
			return least
		}
		return n
	}
	uses := in.Kind.Uses()
	r = AlertRule{Kind: in.Kind, Active: in.Active || in.Kind.Always(), AllStores: true, Webhook: in.Webhook, Language: in.Language}
	if uses.Count {
		r.Count = number("count", in.Count, 1, maxAlertCount)
	}
	if uses.Minutes {
		r.Minutes = number("minutes", in.Minutes, 1, maxAlertMinutes)
	}
	if uses.Factor {
		r.Factor = number("factor", in.Factor, 101, maxAlertFactor)
	}
	if uses.Amount {
		var err error
		plain := strings.NewReplacer("$", "", ",", "").Replace(strings.TrimSpace(in.Amount))
		if r.Amount, err = models.ParseMoney(plain); err != nil || r.Amount <= 0 || r.Amount > intake.MaxMoney {
			wrong = append(wrong, models.Invalid("amount", "amount.invalid"))
		}
	}
	if uses.Stores && !in.AllStores {
		r.AllStores, r.StoreIDs = false, slices.Compact(slices.Sorted(slices.Values(in.StoreIDs)))
		if len(r.StoreIDs) == 0 {
			wrong = append(wrong, models.Invalid("stores", "endpoint.storesRequired"))
		}
	}
	if r.Language != "es-MX" && r.Language != "en" {
		wrong = append(wrong, models.Invalid("language", "filter.invalid"))
	}
	r.QuietMinutes = number("quiet", in.Quiet, 0, maxQuietMinutes)
	var refused *models.Error
	if r.Emails, refused = parseRecipients(in.Emails); refused != nil {
		wrong = append(wrong, refused)
	} else if len(r.Emails) > 0 && !canMail {
		wrong = append(wrong, models.Invalid("emails", "alert.noMail"))
	}
	if len(wrong) > 0 {
		return r, wrong
	}
	return r, nil
}

// parseRecipients reads addresses. It refuses any that could be read as a header, a
// list or a name, so that none of these reaches a mail server.
func parseRecipients(s string) (models.Texts, *models.Error) {
	var all models.Texts
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ';' }) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		email, err := models.ParseEmail(line)
		parsed, badly := mail.ParseAddress(email)
		if err != nil || badly != nil || parsed.Address != email || parsed.Name != "" || strings.ContainsAny(email, `"\{}<>()`) {
			return nil, models.Invalid("emails", "alert.emailInvalid")
		}
		if !slices.Contains(all, email) {
			all = append(all, email)
		}
	}
	if len(all) > maxRecipients {
		return nil, models.Invalid("emails", "alert.tooMany")
	}
	return all, nil
}

// ChangeRule changes a rule for everything that happens from now on.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or Refusals of fields.
func (a *Service) ChangeRule(ctx context.Context, actor models.Actor, in RuleInput) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	if !slices.Contains(Kinds, in.Kind) {
		return models.ErrNotFound
	}
	r, err := in.check(a.canMail)
	if err != nil {
		return err
	}
	err = a.db.InTx(ctx, func(t database.Tx) error {
		var was AlertRule
		if err := database.TakeRow(t.Where("kind = ?", in.Kind), &was); err != nil {
			return err
		}
		if err := webhooks.StoresExist(t, r.StoreIDs); err != nil {
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
			return models.ErrStale
		}
		return audit.Record(t, actor, now, models.ActionAlertRule, models.OutcomeSuccess,
			audit.About{Before: was.attributes(), After: r.attributes()})
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("change rule %s: %w", in.Kind, err)
	}
	return err
}
