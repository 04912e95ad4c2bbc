package oversight

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// AlertRulesView lists the rules of alerts, and the last letters.
type AlertRulesView struct {
	ui.Page
	Rules   []alerts.AlertRule
	Mails   []alerts.Mail
	CanMail bool // a mail server is set
}

// off are the rules that look for nothing.
func (v *AlertRulesView) off() []alerts.Kind {
	var off []alerts.Kind
	for i := range v.Rules {
		if !v.Rules[i].Active {
			off = append(off, v.Rules[i].Kind)
		}
	}
	return off
}

// AlertRuleView is the form of a rule.
type AlertRuleView struct {
	ui.Page
	Form    alerts.RuleInput
	Stores  []models.Store
	CanMail bool
	Errors  ui.Errors
}

func alertTitle(ctx context.Context, k alerts.Kind) string {
	return ui.Maybe(ctx, "alertKind.", string(k))
}

// alertTells lists who is notified by a rule besides the page.
func alertTells(ctx context.Context, r *alerts.AlertRule) string {
	var to []string
	if r.Kind.Always() {
		to = append(to, locale.T(ctx, "alert.overseers"))
	}
	if len(r.Emails) > 0 {
		to = append(to, strings.Join(r.Emails, ", "))
	}
	if r.Webhook {
		to = append(to, locale.T(ctx, "alert.webhookShort"))
	}
	if len(to) == 0 {
		return locale.T(ctx, "alert.pageOnly")
	}
	return strings.Join(to, " · ")
}

// alertWhen words the thresholds of a rule.
func alertWhen(ctx context.Context, r *alerts.AlertRule) string {
	return locale.T(ctx, "alertWhen."+string(r.Kind), "Count", ui.Number(int64(r.Count)),
		"Minutes", ui.Number(int64(r.Minutes)), "Hours", words.Span(r.Minutes),
		"Amount", ui.Money(r.Amount), "Factor", ui.Number(int64(r.Factor)))
}
