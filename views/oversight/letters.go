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

// checkpointLetter says of the checkpoint that it brings what it covers, who signed it beside
// our own keys, and what it is good for.
func checkpointLetter(ctx context.Context, m *alerts.Mail, base string, zone *time.Location) (subject, text string) {
	c := m.Checkpoint
	sealed := ui.DateSeconds(ctx, c.SealedAt, zone) + ", " + ui.ZoneName(ctx, zone.String())
	lines := []string{
		locale.T(ctx, "mail.checkpoint", "N", ui.Number(c.Size), "When", sealed),
		locale.T(ctx, "mail.checkpointRoot", "Root", c.Root.String()),
	}
	if others := c.Others(); len(others) > 0 {
		lines = append(lines, locale.T(ctx, "mail.checkpointOthers", "Names", strings.Join(others, ", ")))
	}
	if m.CreatedAt.Sub(c.SealedAt) > sealedDaily {
		lines = append(lines, "", locale.T(ctx, "mail.checkpointOld"))
	}
	lines = append(lines, "", locale.T(ctx, "mail.checkpointKeep"), "", locale.T(ctx, "mail.checkpointDaily"))
	if base != "" {
		lines = append(lines, "", base+"/audit/verification")
	}
	return locale.T(ctx, "mail.checkpointSubject", "Day", ui.Date(ctx, c.SealedAt, zone)),
		strings.Join(append(lines, "", locale.T(ctx, "mail.checkpointFoot")), "\n") + "\n"
}

// sealedDaily is the age at which a checkpoint is older than it should be: a trail is sealed
// every day, even one to which nothing was added.
const sealedDaily = 24 * time.Hour

// Letter is the letter of an alert, of a doubt that ended, of a link, of a notice, with a
// checkpoint, or a test, in its recipient's language: plain text, with no more of a card than
// nothing. base is where people reach us; "" leaves links out.
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
	if m.Checkpoint != nil {
		return checkpointLetter(ctx, m, base, zone)
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
