package handlers_test

import (
	"database/sql"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/cards"
	"veinte/models/modelstest"
)

// owed is what an entry of a change owes: how it was, how it is, or both.
type owed string

const (
	wasAndIs owed = "before and after that differ"
	isNow    owed = "after, and no before"
	newOrNot owed = "after that differs from before, if any"
	wasOnly  owed = "before, and no after"
)

// owes says of each change what its entry says of it.
var owes = map[models.Action]owed{
	models.ActionCancellationRequested: isNow, models.ActionCancellationMoved: wasAndIs, models.ActionLanguageChosen: wasAndIs,
	models.ActionOnboarding:   wasAndIs,
	models.ActionRulesChanged: wasAndIs, models.ActionRulesWithdrawn: wasAndIs, models.ActionReasonsChanged: newOrNot,
	models.ActionProfileCreated: isNow, models.ActionProfileChanged: wasAndIs,
	models.ActionViewCreated: isNow, models.ActionViewChanged: wasAndIs, models.ActionViewRemoved: wasOnly,
	models.ActionStoreCreated: isNow, models.ActionStoreChanged: wasAndIs,
	models.ActionTerminalCreated: isNow, models.ActionTerminalChanged: wasAndIs, models.ActionTerminalMoved: wasAndIs,
	models.ActionMovePlanned: wasAndIs, models.ActionMoveWithdrawn: wasOnly, models.ActionTerminalRetired: wasAndIs,
	models.ActionTerminalRestored: wasAndIs,
	models.ActionUserCreated:      isNow, models.ActionUserChanged: wasAndIs, models.ActionUserDisabled: wasAndIs,
	models.ActionUserEnabled: wasAndIs, models.ActionUserNameBlocked: wasAndIs,
	models.ActionEndpointCreated: isNow, models.ActionEndpointChanged: wasAndIs, models.ActionEndpointPaused: wasAndIs,
	models.ActionEndpointResumed: wasAndIs, models.ActionEndpointRetired: wasAndIs,
	models.ActionKeyCreated: isNow, models.ActionKeyRotated: wasAndIs, models.ActionKeyRevoked: wasAndIs,
	models.ActionAlertRule: wasAndIs, models.ActionAlertAttended: isNow,
	models.ActionDeliveryAgain: wasAndIs, models.ActionDeliverySetAside: wasAndIs,
	models.ActionImportAnswered: wasAndIs,
	models.ActionSaleCorrected:  wasAndIs, models.ActionSaleUndone: wasOnly,
	models.ActionImportConfirmed: wasAndIs, models.ActionImportDiscarded: wasAndIs, models.ActionImportUndone: wasAndIs,
	models.ActionPaused: wasAndIs, models.ActionResumed: wasAndIs,
	models.ActionReviewed: wasOnly, models.ActionDifferenceSeen: wasOnly, // what was looked at
}

// met reports whether what is owed is there.
func (o owed) met(before, after string) bool {
	switch o {
	case wasAndIs:
		return before != "" && after != "" && before != after
	case newOrNot:
		return after != "" && before != after
	case isNow:
		return before == "" && after != ""
	case wasOnly:
		return before != "" && after == ""
	}
	return true
}

// cardNumber is what may be one: at least thirteen digits that stand by themselves.
var cardNumber = regexp.MustCompile(`(?:^|[^0-9A-Za-z-])[3-6][0-9]{12,18}(?:$|[^0-9A-Za-z-])`)

// judgeEntries looks at every entry of the house: what must be said is said,
// and what must not is not.
func (h *house) judgeEntries() {
	h.tb.Helper()
	rows, err := h.Owner.Query(`SELECT id, at, actor_name, actor_role, action, outcome, address, request_id, reason, actor_id,
		e::text || convert_from(canonical, 'UTF8'), coalesce(before::text, ''), coalesce(after::text, ''), num_nonnulls(store_id, sale_id,
		cancellation_id, before, after) > 0 OR serial_number <> '' FROM audit_entries e`)
	h.must(err)
	defer rows.Close()
	for rows.Next() {
		var id int64
		var at time.Time
		var name, role, action, outcome, address, request, reason, all, before, after string
		var actor sql.NullInt64
		var thing bool
		h.must(rows.Scan(&id, &at, &name, &role, &action, &outcome, &address, &request, &reason, &actor, &all, &before, &after, &thing))
		wrong := func(what string) { h.tb.Errorf("entry %d (%s, %s) %s: %s", id, action, outcome, what, all) }
		person := models.Role(role) != models.SystemRole && models.Role(role) != models.TerminalRole
		if at.IsZero() || name == "" || role == "" || action == "" || outcome == "" {
			wrong("lacks who, when or what")
		}
		if person && actor.Valid && actor.Int64 < 1000 && (address == "" || request == "") {
			wrong("does not say where from")
		}
		if outcome != string(models.OutcomeSuccess) && outcome != string(models.OutcomeUnknown) && reason == "" &&
			action != string(models.ActionConnectionTested) {
			wrong("does not say why")
		}
		if session := strings.HasPrefix(action, "session.") || action == string(models.ActionAuditRead) ||
			action == string(models.ActionRefused); !session && !thing {
			wrong("does not say which thing")
		}
		for _, secret := range []string{modelstest.Password, "otra clave de prueba", "argon2id", "whsec_", secret, "veinte_session"} {
			if strings.Contains(all, secret) {
				wrong("holds the secret " + secret)
			}
		}
		for _, o := range h.API.Orders() {
			if strings.Contains(all, o.Key.Reveal()) || strings.Contains(all, o.Key.Hash()) {
				wrong("holds an attempt id")
			}
		}
		if found := cardNumber.FindString(all); found != "" && cards.Holds(found) {
			wrong("holds a card number " + found)
		}
		if outcome == string(models.OutcomeSuccess) {
			if owed := owes[models.Action(action)]; !owed.met(before, after) {
				wrong("owes " + string(owed))
			}
		}
	}
	h.must(rows.Err())
}

var (
	sentence = regexp.MustCompile(`href="/audit/([0-9]+)">([^<]+)</a>`)
	codes    = regexp.MustCompile(`\b[a-z]+[.][a-zA-Z]+\b|\b[a-z]+[A-Z][a-zA-Z]+\b|\{|\(sin nombre\)|una venta$`)
	// theirs are what people called something themselves.
	theirs = regexp.MustCompile(`[^ ]+@[^ ]+|[^ ]+\.(csv|xlsx|test)\b|127\.0\.0\.1|/(audit|sales)/views/[0-9]+`)
)

// judgeSentences reads the whole trail on its pages: each entry is there once, folded or
// not, and is told in words.
func (h *house) judgeSentences(v *visitor) {
	h.tb.Helper()
	mark, told := int64(h.lastEntry()), map[int64]string{}
	for path := "/audit?reads=in"; path != ""; {
		p := v.get(path).want(200)
		for _, m := range sentence.FindAllStringSubmatch(p.body, -1) {
			id, err := strconv.ParseInt(m[1], 10, 64)
			h.must(err)
			told[id] = html.UnescapeString(m[2])
		}
		path = p.next()
	}
	for id := range told {
		if id > mark {
			delete(told, id) // read meanwhile
		}
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE id <= $1`, mark); int64(len(told)) != int64(n) {
		h.tb.Errorf("the pages of the trail show %d entries of %d", len(told), n)
	}
	for id, text := range told {
		if codes.MatchString(theirs.ReplaceAllString(text, "")) {
			h.tb.Errorf("entry %d (%s) is told %q", id, h.text(`SELECT action FROM audit_entries WHERE id = $1`, id), text)
		}
	}
}
