package handlers_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/modelstest/rows"
)

// HOW TO ADD A SCENARIO
//
// Every route that is no GET, every GET of the trail and of oversight, and every
// file that is taken along, needs a line in trailScenarios (trail_scenarios_test.go): who does it and which action the
// trail must then name. The request itself is that of the route's expectation
// (routes_expect_test.go); where that one is refused on purpose, the line has a
// `form`, or a `do` for what is no plain form.
// Refusals need no line: every route is tried by somebody without the permission,
// with a number that is nowhere, by another site, and a second time.
// A route that changes nothing is named in changesNothing, with the reason.

// trailScenario is what the trail is to say of a route.
type trailScenario struct {
	who     string        // whose browser: a, s, m, u
	action  models.Action // of the entry of success
	entries int           // when they are more than one: the beginning and the end of something
	// refused marks a route whose expectation is a refusal by rule: the entry is of
	// that, and another test does the act.
	refused bool
	form    func(*targets) url.Values
	do      func(*house, *visitor, *targets) *answer
}

// counts reports whether the trail owes an entry to the route.
func counts(line handlers.Line) bool {
	return line.Method != http.MethodGet || line.Can == models.ReadAudit || line.Can == models.Oversee ||
		strings.HasSuffix(line.Path, ".csv") || strings.HasSuffix(line.Path, ".xlsx") || strings.HasSuffix(line.Path, "/slip")
}

// TestEveryActIsInTheTrail does every act once, and is refused it in every way.
func TestEveryActIsInTheTrail(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) { behindProxy(c) })
	h.comeFrom(whence{"203.0.113.77", "Navegador de prueba/7.1"})
	w := rows.Record(t, h.Office)
	on := h.withNeighbours().targets()
	h.SealTrail(on.proved)
	people := map[string]*visitor{
		"a": h.administrator(), "s": h.supervisor(), "m": h.manager(), "u": h.as(h.user("Aurora", models.Auditor)),
	}
	for _, line := range handlers.Lines() {
		route := line.Method + " " + line.Path
		if !counts(line) || changesNothing[route] != "" {
			continue
		}
		s, ok := trailScenarios[route]
		if !ok {
			t.Errorf("%s has no scenario in trail_scenarios_test.go; add one (see HOW TO ADD A SCENARIO in trail_test.go)", route)
			continue
		}
		v := people[s.who]
		refresh := func(v *visitor) { v.jar["veinte_session"] = h.session(v.id) }
		refresh(v)
		h.refusedBeforehand(line, v, people, on)
		refresh(v)
		e, form := expectations[route], url.Values(nil)
		if s.form != nil {
			form = s.form(on)
		} else if e.form != nil {
			form = e.form(on)
		}
		act := func() *answer {
			switch {
			case s.do != nil:
				return s.do(h, v, on)
			case line.Method == http.MethodGet:
				return v.get(e.path(on))
			}
			return v.post(e.path(on), form)
		}
		mark := h.lastEntry()
		a := act()
		outcome := models.OutcomeSuccess
		if s.refused {
			outcome = models.OutcomeFailure
		} else if a.status >= 400 {
			t.Errorf("%s = %d, want a success: %s", a.what, a.status, a.words())
			continue
		}
		if got, want := h.entriesSince(mark, v.id, s.action, outcome), max(1, s.entries); got != want {
			t.Errorf("%s left %d entries of %s with its actor, want %d; the trail says %q", a.what, got, s.action, want, h.recordedSince(mark))
		}
		if line.Method == http.MethodGet {
			continue
		}
		refresh(v)
		mark = h.lastEntry()
		if a := act(); a.status == http.StatusConflict && h.unsuccessfulSince(mark, v.id) == 0 {
			t.Errorf("%s a second time = 409 left no entry of the refusal", a.what)
		}
	}
	h.judgeEntries()
	h.judgeSentences(people["u"])
	h.judgeWhence(people["a"].id, people["s"].id, people["m"].id, people["u"].id)
	h.CheckSecretsStored(t, h.secrets())
	w.Judge()
}

var pathNumber = regexp.MustCompile(`/\d+(/|$)`)

// refusedBeforehand tries the route as nobody should.
func (h *house) refusedBeforehand(line handlers.Line, v *visitor, people map[string]*visitor, on *targets) {
	h.tb.Helper()
	if line.Can == "machine" {
		return
	}
	e := expectations[line.Method+" "+line.Path]
	path, form := e.path(on), url.Values(nil)
	if e.form != nil {
		form = e.form(on)
	}
	ask := func(v *visitor, path string) *answer {
		if line.Method == http.MethodGet {
			return v.get(path)
		}
		return v.post(path, form)
	}
	for who, role := range map[string]models.Role{"u": models.Auditor, "m": models.Manager} {
		if role.May(line.Can) || line.Can == "anyone" || line.Can == "signedIn" {
			continue
		}
		mark, other := h.lastEntry(), people[who]
		if a := ask(other, path); a.status != http.StatusForbidden ||
			h.entriesSince(mark, other.id, models.ActionRefused, models.OutcomeDenied) != 1 {
			h.tb.Errorf("%s by a %s = %d left %q, want one denial", a.what, role, a.status, h.recordedSince(mark))
		}
	}
	if nowhere := pathNumber.ReplaceAllString(path, "/999999999$1"); strings.Contains(line.Path, ":id") {
		mark := h.lastEntry()
		if a := ask(v, nowhere); a.status >= 400 && a.status != http.StatusUnprocessableEntity && a.status != http.StatusBadRequest &&
			h.unsuccessfulSince(mark, v.id) == 0 {
			h.tb.Errorf("%s = %d left no entry of the refusal", a.what, a.status)
		}
	}
	if line.Method == http.MethodGet {
		return
	}
	mark := h.lastEntry()
	good := maps.Clone(form)
	if good == nil {
		good = url.Values{}
	}
	good.Set("csrf", v.csrf())
	a := v.send(
		"POST", path, good.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.example",
		"Sec-Fetch-Site", "cross-site",
	)
	if a.status != http.StatusForbidden || h.unsuccessfulSince(mark, v.id) != 1 {
		h.tb.Errorf("%s from another site = %d left %q, want one denial", a.what, a.status, h.recordedSince(mark))
	}
}

// TestNoScenarioIsLeftOver of a route that is gone.
func TestNoScenarioIsLeftOver(t *testing.T) {
	t.Parallel()
	var routes []string
	for _, line := range handlers.Lines() {
		routes = append(routes, line.Method+" "+line.Path)
	}
	for _, route := range slices.Concat(slices.Collect(maps.Keys(trailScenarios)), slices.Collect(maps.Keys(changesNothing))) {
		if !slices.Contains(routes, route) {
			t.Errorf("scenario of %s has no route", route)
		}
	}
}

func (h *house) lastEntry() int {
	h.tb.Helper()
	h.endMinute()
	return h.count(`SELECT coalesce(max(id), 0) FROM audit_entries`)
}

func (h *house) entriesSince(mark int, actor int64, action models.Action, outcome models.Outcome) int {
	h.tb.Helper()
	return h.count(`SELECT count(*) FROM audit_entries WHERE id > $1 AND coalesce(actor_id, 0) = $2 AND action = $3 AND outcome = $4`,
		mark, actor, string(action), string(outcome))
}

func (h *house) unsuccessfulSince(mark int, actor int64) int {
	h.tb.Helper()
	return h.count(`SELECT count(*) FROM audit_entries WHERE id > $1 AND actor_id = $2 AND outcome IN ('failure', 'denied')`, mark, actor)
}

func (h *house) recordedSince(mark int) string {
	h.tb.Helper()
	return h.text(
		`SELECT coalesce(string_agg(concat_ws(' ', actor_name, action, outcome, reason), '; ' ORDER BY id), 'nothing') FROM audit_entries
			WHERE id > $1`,
		mark,
	)
}
