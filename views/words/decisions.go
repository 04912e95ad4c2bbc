package words

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// Decided are the causes by which a person ended a doubt, and no terminal.
var Decided = map[models.Detail]bool{
	models.DetailResolvedCanceled: true, models.DetailResolvedNotCanceled: true,
	models.DetailReconciledCanceled: true, models.DetailReconciledNotCanceled: true,
}

// Decision is the entry of a person's decision by which the cancellation stands as it
// does; nil when something else ended it.
func Decision(entries []models.AuditEntry, c *models.Cancellation) *models.AuditEntry {
	if !Decided[c.Detail] {
		return nil
	}
	return lastOf(entries, c, func(e *models.AuditEntry) bool {
		return e.Action == models.ActionCancellationMoved && Object(e.After)["detail"] == string(c.Detail)
	})
}

// Handled is the mark of a supervisor on what contradicts a cancellation; nil while nobody
// has handled it.
func Handled(entries []models.AuditEntry, c *models.Cancellation) *models.AuditEntry {
	if c.ReviewedAt == nil {
		return nil
	}
	return lastOf(entries, c, func(e *models.AuditEntry) bool {
		return e.Action == models.ActionReviewed && e.Outcome == models.OutcomeSuccess
	})
}

// lastOf is the cancellation's last entry of a kind; nil when there is none.
func lastOf(entries []models.AuditEntry, c *models.Cancellation, is func(*models.AuditEntry) bool) *models.AuditEntry {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := &entries[i]; e.CancellationID != nil && *e.CancellationID == c.ID && is(e) {
			return e
		}
	}
	return nil
}

// DecidedBy says who decided, when, and by which evidence.
func DecidedBy(ctx context.Context, e *models.AuditEntry, at string) string {
	key := "story.decided.charged"
	if Object(e.After)["state"] == string(models.Confirmed) {
		key = "story.decided.canceled"
	}
	text := locale.T(ctx, key, "Name", Who(ctx, e), "At", at)
	saw := Evidence(e.Reason)
	switch {
	case saw["authCode"] != "" && saw["folio"] != "":
		text += " " + locale.T(ctx, "story.by.both", "Auth", saw["authCode"], "Folio", saw["folio"])
	case saw["authCode"] != "":
		text += " " + locale.T(ctx, "story.by.authCode", "Value", saw["authCode"])
	case saw["folio"] != "":
		text += " " + locale.T(ctx, "story.by.folio", "Value", saw["folio"])
	case saw["report"] != "":
		text += " " + locale.T(ctx, "story.by.report", "Value", saw["report"])
	}
	return text + "." + noted(ctx, saw["note"])
}

// HandledBy says who handled something, when, and what they found.
func HandledBy(ctx context.Context, e *models.AuditEntry, at string) string {
	return locale.T(ctx, "conflict.handled", "Name", Who(ctx, e), "At", at) + noted(ctx, e.Reason)
}

func noted(ctx context.Context, note string) string {
	if note == "" {
		return ""
	}
	return " " + locale.T(ctx, "story.noted", "Note", note)
}

// Charged counts how often a terminal stated of a cancellation that the sale is still
// charged, and says when last.
func Charged(results []models.Result, cancellation int64) (n int, last time.Time) {
	for i := range results {
		r := &results[i]
		if r.Standing == models.StandingCharged && r.CancellationID != nil && *r.CancellationID == cancellation &&
			r.Status != models.ResultDuplicate {
			n, last = n+1, r.ReceivedAt
		}
	}
	return n, last
}

// LastAnswer is the last that a terminal posted of a cancellation; nil when it posted
// nothing.
func LastAnswer(results []models.Result, cancellation int64) *models.Result {
	for i := len(results) - 1; i >= 0; i-- {
		if r := &results[i]; r.Kind != models.ResultSale && r.CancellationID != nil && *r.CancellationID == cancellation {
			return r
		}
	}
	return nil
}

// Answer says what a terminal answered.
func Answer(ctx context.Context, r *models.Result, at string) string {
	if r.Kind == models.ResultInquiry && r.Standing != "" {
		stands := strings.ToLower(ui.Maybe(ctx, "standing.", string(r.Standing)))
		return locale.T(ctx, "story.terminalStands", "At", at, "Standing", stands)
	}
	return locale.T(ctx, "story.terminalCode", "At", at, "Code", r.ResponseCode)
}

// ResultSays is what a terminal's post says, and what follows from it.
func ResultSays(ctx context.Context, r *models.Result) string {
	var says []string
	if r.Kind == models.ResultInquiry || r.Status != models.ResultApplied {
		// What an answer says and what follows from it are two things: one that
		// came too early proves nothing, whatever it says.
		if r.Standing != "" && !strings.HasPrefix(r.Note, "standing") {
			says = append(says, locale.T(ctx, "story.standing", "Standing", ui.Maybe(ctx, "standing.", string(r.Standing))))
		}
		if r.Note != "" {
			says = append(says, ui.Maybe(ctx, "resultNote.", r.Note))
		}
	}
	if r.ResponseCode != "" {
		says = append(says, locale.T(ctx, "story.responseCode", "Code", r.ResponseCode))
	}
	return strings.Join(says, " ")
}

// Who names the person, and for whom when a job carries out their wish.
func Who(ctx context.Context, e *models.AuditEntry) string {
	name := ActorName(ctx, e)
	if e.OnBehalfOf != "" {
		return locale.T(ctx, "audit.onBehalf", "Name", name, "Of", e.OnBehalfOf)
	}
	return name
}

// Evidence are the parts of the evidence by which a person resolved a doubt, by name:
// authCode, folio and note, or report and row. The note is the rest of the text, whatever
// is in it.
func Evidence(text string) map[string]string {
	parts := map[string]string{}
	for rest := text; rest != ""; {
		var part string
		if part, rest, _ = strings.Cut(rest, " · "); strings.HasPrefix(part, "note ") {
			if rest != "" {
				part += " · " + rest
			}
			rest = ""
		}
		if name, value, ok := strings.Cut(part, " "); ok && evidence[name] {
			parts[name] = value
		}
	}
	return parts
}
