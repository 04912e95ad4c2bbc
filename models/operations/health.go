package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"veinte/models/audit/sealing"
	"veinte/models/clocks"
)

// Problem is something that is out, in words for whoever operates the server.
type Problem struct {
	Code string `json:"code"`
	What string `json:"what"`
	Do   string `json:"do"`
	// Names are what is concerned, such as the triggers that are off. Whoever can reach the
	// public address is not told them.
	Names []string `json:"names,omitempty"`
}

// outageDo is what to do about each outage; it passes by itself once that is done.
var outageDo = map[string]string{
	"outage.database":   "See that PostgreSQL runs, is no standby and can be reached by DATABASE_URL.",
	"outage.busy":       "Wait; when it lasts, see in pg_stat_activity what holds the connections.",
	"outage.trail":      "Run veinte migrate up as the owner: it grants the server's role its rights.",
	"outage.disk":       "Make room on the database's disk.",
	"outage.standby":    "See that a standby of synchronous_standby_names runs and follows; every COMMIT waits for one.",
	"outage.credential": "Put the file of ACCESS_TOKEN_FILE back; it is read again by itself.",
}

// HealthAnswer is what a probe gets for what was found: a status, so that also one that
// reads no text sees that something is out, and JSON.
func HealthAnswer(found []Problem) (status int, body []byte) {
	answer := struct {
		Status   string    `json:"status"`
		Problems []Problem `json:"problems,omitempty"`
	}{"ok", found}
	if status = http.StatusOK; len(found) > 0 {
		status, answer.Status = http.StatusServiceUnavailable, "trouble"
	}
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err) // texts alone
	}
	return status, append(body, '\n')
}

// Health lists what is out: nothing when all is well. A pause is no problem: somebody
// wanted it.
func (s *Service) Health(ctx context.Context) []Problem {
	n := s.Notices(ctx)
	var found []Problem
	add := func(code, what, do string, names ...string) {
		found = append(found, Problem{Code: code, What: what, Do: do, Names: names})
	}
	if n.Outage != nil {
		add(n.Outage.Code, "Cancellations are neither recorded nor sent.", outageDo[n.Outage.Code])
	}
	switch {
	case n.Unanswered == nil:
	case n.Unanswered.TLS:
		add("service.certificate", "There is no secure connection with the cancellation service: its certificate has expired, or is of an "+
			"authority that this system does not know.", "Ajustes → Conexión tests it and says which; the provider renews it, and authorities are "+
			"those of the system (ca-certificates).")
	default:
		add("service.unanswered", "The cancellation service does not answer.", "Test the connection under Ajustes → Conexión.")
	}
	if n.Access != nil {
		add("service.accessRefused", "The cancellation service refuses our access token.", "Put a valid one where ACCESS_TOKEN_FILE says, or "+
			"correct the credential of TOKEN_MODE.")
	}
	s.clockHealth(&n, add)
	if n.Database != nil {
		add("database.changed", "The database is a copy, or an older state of itself.", "End the servers of the other one; see Back up and "+
			"restore in the operating manual, and Por revisar.")
	}
	if n.Unkept {
		add("database.unkept", "Commits do not wait for a standby, although FAILOVER_KEEPS_COMMITS promises it.",
			"Set synchronous_standby_names and synchronous_commit.")
	}
	s.trailHealth(ctx, &n, add)
	if missing, err := s.db.MissingRights(ctx); err == nil && len(missing) > 0 {
		add("database.rights", "The role of DATABASE_URL lacks rights.", "Run veinte migrate up --app-role ROLE as the owner.", missing...)
	}
	return found
}

// clockHealth adds whose clock is wrong.
func (s *Service) clockHealth(n *Notices, add func(code, what, do string, names ...string)) {
	const ntp = "Set it by NTP (timedatectl, chronyc tracking); it is compared again within seconds."
	off := func(d time.Duration) string { return d.Round(time.Second).String() }
	switch n.Clock.Verdict {
	case clocks.ServerDiffers:
		add("clock.server", fmt.Sprintf("This server's clock is %s ahead of the database's (with a minus: behind it).", off(n.Clock.Ahead)), ntp)
	case clocks.DatabaseDiffers:
		add("clock.database", fmt.Sprintf("The database's clock differs by %s from that of all servers.", off(n.Clock.Ahead)), ntp)
	}
	if n.Ahead != 0 {
		add("clock.service", fmt.Sprintf("The cancellation service's clock is %s ahead of ours (with a minus: behind it).", off(n.Ahead)),
			"See that ours are right; the provider has to mend theirs.")
	}
}

// trailHealth adds what keeps the trail from being sealed or guarded.
func (s *Service) trailHealth(ctx context.Context, n *Notices, add func(code, what, do string, names ...string)) {
	if s.seals == nil {
		return
	}
	if off, err := s.seals.Unguarded(ctx); err == nil && len(off) > 0 {
		add(sealing.Unguarded, "Triggers of the database that refuse changes are off.",
			"As the owner: ALTER TABLE … ENABLE ALWAYS TRIGGER …; verify the trail, and find out who did it.", off...)
	}
	if n.Sealing != nil && n.Sealing.Code != sealing.Unguarded {
		var names []string
		if n.Sealing.Detail != "" {
			names = []string{strings.TrimSpace(n.Sealing.Detail)}
		}
		add(n.Sealing.Code, "The trail is not sealed as it should be.", "See When sealing stops in the operating manual.", names...)
	}
	if n.Signing != nil {
		add(n.Signing.Code, "Somebody who signs the trail beside us does not, or refuses; it is sealed all the same.",
			"See When others do not sign in the operating manual.", n.Signing.Detail)
	}
}
