package oversight

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/accounts"
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

// endedLetter is the letter to who asked for a cancellation that was in doubt.
func endedLetter(ctx context.Context, e *alerts.Ended, base string, zone *time.Location) (subject, text string) {
	subject = locale.T(ctx, "mail.endedSubject", "Amount", ui.Money(e.Amount), "State", words.StateWord(ctx, models.SaleState(e.State)))
	lines := []string{
		locale.T(ctx, "mail.ended", "Amount", ui.Money(e.Amount), "Sold", ui.DateTime(ctx, e.SoldAt, zone), "Store", e.StoreName,
			"Order", e.OrderID),
		locale.T(ctx, "mail.endedState", "State", words.StateWord(ctx, models.SaleState(e.State))),
		locale.T(ctx, "mail.when", "When", ui.DateTime(ctx, e.EndedAt, zone), "Zone", ui.ZoneName(ctx, zone.String())),
	}
	if e.Last4 != "" {
		lines[0] += " " + locale.T(ctx, "mail.endedCard", "Digits", e.Last4)
	}
	if base != "" {
		lines = append(lines, "", base+"/sales/"+models.JsonNumber(e.SaleID))
	}
	return subject, strings.Join(append(lines, "", locale.T(ctx, "mail.endedFoot")), "\n") + "\n"
}

// linkLetter brings a person the link by which they set their password.
func linkLetter(ctx context.Context, l *accounts.Link, base string, zone *time.Location) (subject, text string) {
	until := ui.DateTime(ctx, l.ExpiresAt, zone) + ", " + ui.ZoneName(ctx, zone.String())
	lines := []string{
		locale.T(ctx, "mail.link."+string(l.Kind), "Name", l.Name, "Email", l.Email), "", base + accounts.LinkPath + l.Token, "",
		locale.T(ctx, "mail.linkUntil", "Until", until),
	}
	return locale.T(ctx, "mail.linkSubject."+string(l.Kind)), strings.Join(append(lines, locale.T(ctx, "mail.linkFoot")), "\n") + "\n"
}

// noticeLetter tells a person what happened to their account, and what to do if it was not they.
func noticeLetter(ctx context.Context, n *models.AccountNotice, base string, zone *time.Location) (subject, text string) {
	lines := []string{
		ui.NoticeTitle(ctx, n), ui.NoticeWhere(ctx, n, zone) + " (" + ui.ZoneName(ctx, zone.String()) + ")", "", ui.NoticeNext(ctx, n),
	}
	if base != "" {
		lines = append(lines, "", base+"/account")
	}
	return "Veinte: " + ui.NoticeTitle(ctx, n), strings.Join(append(lines, "", locale.T(ctx, "mail.noticeFoot")), "\n") + "\n"
}

// Letter is the letter of an alert, of a doubt that ended, of a link, of a notice, or a test, in its recipient's
// language: plain text, with no more of a card than nothing. base is where people reach us; ""
// leaves links out.
func Letter(m *alerts.Mail, base string, zone *time.Location) (subject, text string) {
	ctx := locale.With(context.Background(), m.Language)
	if m.Ended != nil {
		return endedLetter(ctx, m.Ended, base, zone)
	}
	if m.Link != nil {
		return linkLetter(ctx, m.Link, base, zone)
	}
	if m.Notice != nil {
		return noticeLetter(ctx, m.Notice, base, zone)
	}
	if m.Alert == nil {
		return locale.T(ctx, "mail.testSubject"), locale.T(ctx, "mail.test", "When", ui.DateTime(ctx, m.CreatedAt, zone)) + "\n"
	}
	a := m.Alert
	subject = "Veinte: " + alertTitle(ctx, a.Kind)
	if a.StoreName != "" {
		subject += " · " + a.StoreName
	}
	lines := []string{
		words.AlertSays(ctx, a),
		locale.T(ctx, "mail.when", "When", ui.DateTime(ctx, a.RaisedAt, zone), "Zone", ui.ZoneName(ctx, zone.String())),
	}
	if m.More > 0 {
		more := locale.T(ctx, "mail.more", "N", ui.Number(int64(m.More)))
		subject, lines = subject+" ("+more+")", append([]string{locale.T(ctx, "mail.again", "N", ui.Number(int64(m.More)))}, lines...)
	}
	if hash := a.Read().SHA256; hash != "" {
		lines = append(lines, "SHA-256: "+hash)
	}
	if base != "" {
		lines = append(lines, "")
		if !a.Kind.Always() { // who sees some stores does not read the entries of none
			lines = append(lines, base+a.Path())
		}
		lines = append(lines, base+"/alerts")
	}
	foot := "mail.foot"
	if a.Kind.Always() {
		foot = "mail.footAlways"
	}
	return subject, strings.Join(append(lines, "", locale.T(ctx, foot)), "\n") + "\n"
}
