package rows

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// columnName is the trail's name of a column, and how the trail formats its value.
type columnName struct {
	key string
	of  func(any) any
}

// namesOf are the columns that have another name, or another format, in the trail.
var namesOf = map[string]columnName{
	"stores.import_id": {key: "importId"}, "terminals.import_id": {key: "importId"}, "sales.batch_id": {key: "importId"},
	"terminals.retired_at": {"retired", isSet}, "report_profiles.retired_at": {"retired", isSet}, "reasons.retired_at": {"inUse", isUnset},
	"users.disabled_at": {"disabled", isSet}, "users.first_steps_hidden_at": {"shown", isUnset}, "assignments.valid_from": {key: "from"},
	"cancellations.omit_receipt": {"printReceipt", negated}, "cancellations.note": {key: "note"},
	"cancellations.version": {key: "sequence"},
	"pauses.ended_at":       {"paused", isUnset},
	"rules.margin_s":        {key: "marginSeconds"}, "rules.effective_at": {"effectiveAt", mexicoDay},
	"report_profiles.name": {key: "profile"},
	"saved_views.name":     {key: "view"}, "saved_views.list": {key: "list"}, "saved_views.filter": {"filter", filterValues},
	"audit_exports.id": {key: "export"}, "audit_exports.state": {key: "exportState"}, "audit_exports.stop_by": {key: "requestedBy"},
	"comparisons.id": {key: "comparison"}, "comparisons.state": {key: "comparisonState"},
	"comparisons.differences": {key: "rowsDiffer"},
	"trail_checks.id":         {key: "verification"}, "trail_checks.state": {key: "verificationState"},
	"alert_rules.kind": {key: "rule"}, "alerts.id": {key: "alert"}, "alerts.kind": {key: "rule"},
	"mails.id": {key: "mail"}, "mails.alert_id": {key: "alert"},
	"endpoints.name": {key: "endpoint"}, "endpoints.kind": {key: "endpointKind"}, "endpoints.state": {key: "endpointState"},
	"deliveries.id": {key: "delivery"}, "deliveries.state": {key: "deliveryState"},
	"imports.id":                      {key: "importId"},
	"imports.state":                   {key: "importState"},
	"imports.file_hash":               {"sha256", hexOf},
	"imports.row_count":               {key: "rows"},
	"imports.new_count":               {key: "created"},
	"imports.known_count":             {key: "known"},
	"imports.conflict_count":          {key: "conflicts"},
	"imports.refused_count":           {key: "refused"},
	"imports.left_out_count":          {key: "leftOut"},
	"imports.status_words":            {"statusWords", meaningsOf},
	"reconciliations.id":              {key: "reconciliationId"},
	"reconciliations.business_day":    {key: "day"},
	"reconciliations.file_name":       {key: "file"},
	"reconciliations.file_hash":       {key: "hash"},
	"reconciliations.profile_name":    {key: "profile"},
	"reconciliations.profile_version": {key: "version"},
	"report_items.kind":               {key: "difference"}, "report_items.reconciliation_id": {key: "reconciliationId"},
	"closings.hash":       {"sha256", hexOf},
	"results.id":          {key: "resultId"},
	"inquiries.try":       {key: "try"},
	"api_secrets.key_id":  {key: "key"},
	"sessions.created_at": {key: "since"}, "endpoints.shown_url": {key: "url"},
	"endpoints.relay_body": {key: "relayBody"}, "sso_groups.name": {key: "group"}, "sso_identities.issuer": {key: "issuer"},
	"account_notices.kind": {key: "notice"},
	"proof_rule.asked":     {key: "asksProof"},
	"account_links.kind":   {key: "link"}, "account_links.expires_at": {key: "until"},
	"proposals.asked_by_name": {key: "askedBy"}, "proposals.expires_at": {key: "until"},
}

func isSet(v any) any   { return v != nil }
func isUnset(v any) any { return v == nil }
func negated(v any) any { b, _ := v.(bool); return !b }

// hexOf writes bytea as the trail writes hashes.
func hexOf(v any) any { s, _ := v.(string); return strings.TrimPrefix(s, `\x`) }

// mexicoDay is the day on which a rule takes effect.
func mexicoDay(v any) any {
	s, _ := v.(string)
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return v
	}
	return at.In(time.FixedZone("Mexico City", -6*60*60)).Format(time.DateOnly)
}

// filterValues reads a stored filter.
func filterValues(v any) any {
	s, _ := v.(string)
	values, _ := url.ParseQuery(s)
	filter := map[string]any{}
	for key := range values {
		filter[key] = values.Get(key)
	}
	return filter
}

// notOfRows are the attributes of entries that are not in rows: names, counts, and
// what was in force before. Attributes of one action only are listed with it.
var notOfRows = map[string]string{
	"attestation.asked attesters": "how many are asked; each row says when it was",
	"request":                     "what was asked for and refused", "more": "how many refusals there were after the first",
	"minute": "as above",
	"order":  "the codes of all reasons, as they stand one after the other",
	"stores": "held against the rows of stores by themselves, see mustHaveStores",
	"rows":   "lines of a file, as a number or one by one", "removed": "how many sales went with an import; each is a row that is gone",
	"cardRows":              "lines of a report that held card numbers, counted in its findings",
	"audit.exported sha256": "of the file, which is kept nowhere", "sales.exported sha256": "as above",
	"audit.exported root": "of the checkpoint under which the file was made", "audit.exported sealedEntries": "as above",
	"audit.exported storeIds":        "of the person who exports",
	"same":                           "how many lines of a report agree",
	"report.discarded differences":   "how many rows of report_items waited",
	"report.discarded raised":        "how many cancellations are to be looked into; each is an entry",
	"report.discarded conflictsOver": "as above",
	"byHand":                         "how many of them were canceled by hand", "outcome": "what became of what was told",
	"requestsTakenBack": "how many rows of ended_requests there are now", "requestsKept": "what the administrator chose",
	"nameBlocked": "whether rows with the names are there now",
	"unsealed":    "how many entries an export left out", "overlapHours": "how long the secret before still opens; its row says until when",
	"cancellation.requested together":   "the press for several sales: the click of the row without the number of its sale",
	"cancellation.requested togetherOf": "how many sales the press asked for",
	"day.closed kept":                   "how many sales stayed; the report of the hash says which",
	"sales.exported sales":              "how many: the row counts them as entries",
	"day.closed late":                   "whether the server was late for it",
	"audit.compared bound":              "of rows of recorded_rows, by the first of each",
	"rowsSha256":                        "of rows of recorded_rows",
	"audit.compared first":              "rows of comparison_differences, the first few",
	"audit.compared entries":            "how many entries were folded; the result has it",
	"audit.verified wrong":              "of the result, in words of its own",
	"audit.verified root":               "as above",
	"audit.verified found":              "as above",
	"audit.verified foundIn":            "as above", "audit.verified entries": "as above",
	"endpoint.tested endpoint":      "the name: the row of the delivery has the number",
	"delivery.redelivered endpoint": "as above",
	"delivery.setAside endpoint":    "as above",
	"endpoint.changed url":          "with a mark when what the page hides of it changed, so that before and after differ",
	"rules.takenBack marginSeconds": "after is what is in force then, which stands in another row",
	"mailed":                        "whether a letter brings the link; the letter is a row",
	"user.linkMade email":           "whose it is; the row has the number",
	"user.factorSet email":          "as above",
	"user.factorReset email":        "as above",
	"user.recoveryUsed email":       "as above",
	"user.recoveryMade email":       "as above", "user.factorRemoved email": "as above", "user.factorBegun email": "as above",
	"user.passkeyAdded email": "as above", "user.passkeyRemoved email": "as above",
	"user.passkeyUsed email": "as above", "user.passkeyCloned email": "as above",
	"user.proofRefused email": "as above: the row that counts it begins otherwise",
	"user.pinSet email":       "as above", "user.pinRemoved email": "as above",
	"counterPin":               "whether there was a row of a PIN",
	"counter.made device":      "of the browser's own row",
	"session.started counter":  "the name of the counter that the device is",
	"passkey":                  "the name of the key",
	"publicKeySha256":          "the hash of passkeys.public_key",
	"secretSha256":             "the hash of api_secrets.hash",
	"passkeys":                 "how many rows of passkeys there were",
	"app":                      "whether there was a row of an app that was confirmed",
	"codesLeft":                "how many rows of recovery codes are not used",
	"user.factorRules manager": "the rule of that role's row", "user.factorRules supervisor": "as above",
	"user.factorRules administrator": "as above", "user.factorRules auditor": "as above",
	"user.linkAllowed email": "whose it is; the row has the number", "user.linked email": "as above",
	"sso.passwordRule breakGlass": "whose password counts: the row has the number", "session.breakGlass email": "whose it is",
	"user.created groups":      "those that the provider names, of which ours give what is said",
	"user.sessionsEnded email": "whose they are; the rows have the number", "user.sessionsEnded sessions": "how many rows",
	"user.deviceForgotten email": "whose it was", "user.deviceForgotten sessions": "as above",
	"user.deviceForgotten device": "of the browser's own row", "user.deviceForgotten since": "of a row that is gone",
	"way":       "how they came in",
	"newDevice": "that the row of the device is new", "ownDevice": "as its row has it: own",
	"user.passwordSet link": "of what kind it was; the row that ends it stays so",
	"key.revoked prefix":    "of the secret, whose row stays as it is", "key.revoked expiresAt": "as above",
}

// beforeIsElsewhere are actions whose before is in no row that they change.
var beforeIsElsewhere = map[string]string{
	"rules.changed":  "a change is a new row; what was in force stands in the one before",
	"service.paused": "a pause is a new row; there was none",
}

// unsaid are tables and columns that no entry repeats, of one action only where
// it is named.
var unsaid = map[string]string{
	"*.version":     "numbers the changes of a row",
	"*.id":          "numbers the rows",
	"*.click":       "drawn with a form, so that a second click is no second act",
	"*.terminal_id": "the entry has the serial number", "*.created_at": "the entry has the time", "*.actor": "the entry has who it is",
	"*.cutoff_at":    "follows from the day and the rules, and each change of these is an entry",
	"*.business_day": "as above",
	"*.moved_era":    "the entry of the move has it",
	"*.moved_txid":   "as above",
	"*.changed_era":  "in which order programs follow",
	"*.changed_txid": "as above",
	"*.currency":     "always the same",
	"*.quiet_until":  "until when nothing is sent again; follows from the rules", "*.message_id": "drawn, so that a repeat is known",
	"day_totals": "sums over sales and cases", "case_facts": "what oversight counts, copied from cases and sales",
	"sales.state":          "follows the state of its case, which is said",
	"sales.source":         "said of the act as a whole",
	"sales.imported sales": "the rows of a file, which is said by its hash", "import.undone sales": "as above; they are kept in undone_sales",
	"sale.undone sales":            "its facts are said; all of it is kept in undone_sales",
	"cancellations.origin":         "the entry's role says whether a person or a terminal asked",
	"cancellations.last_push_at":   "an attempt is an entry of its own",
	"cancellations.asked_in":       "the database's own name; the trail has it when it changes",
	"cancellations.asked_waited":   "of the database's configuration",
	"terminals.last_answer":        "what the service last said of it; the case's move says it",
	"reasons.position":             "said as order; a new one comes last",
	"report_rows":                  "lines of a file, which is said by its hash",
	"report.uploaded report_items": "what comparing came to, counted by kind",
	"report_counts":                "as above",
	"reconciliations.file_bytes":   "the hash says more",
	"reconciliations.profile_id":   "its name and version are said",
	"reconciliations.findings":     "the file's form, whose hash is said; the lines with card numbers are said by cardRows",
	"imports.file_size":            "the hash says more",
	"imports.done_count":           "how far it is",
	"imports.notes":                "how its rows were read; the hash says more",
	"import_chunks":                "rows of a file, which is said by its hash",
	"import_remarks":               "what was wrong with them",
	"import_sales":                 "collected within one transaction; the sales themselves are said",
	"undone_sales":                 "sales that were taken back, as they were",
	"blocked_names":                "those under which somebody is in the trail; whose they are is said",
	"sealer_troubles":              "what is wrong now with a directory of checkpoints",
	"attesters":                    "who is asked to sign is said when it changes, and who asked; how that goes is not",
	"checkpoint_signatures":        "what others signed over the trail, which they keep",
	"undos":                        "what an entry has to say, until its transaction ends",
	"closing_terminals":            "parts of a report, which is said by its hash",
	"closings.canonical":           "as above",
	"assignments.valid_to":         "ends where the next one begins", "assignments.planned_at": "when it was planned, which is an entry",
	"terminal.created assignments.valid_from": "from the beginning of its day", "assignments.store_id": "its name is said",
	"delivery_lanes":               "in which order things leave",
	"delivery_tries":               "how each try went",
	"mail_tries":                   "as above",
	"alert_cursor":                 "how far was looked",
	"endpoint.tested deliveries":   "a test has no content",
	"endpoint.disabled deliveries": "how the last try went",
	"deliveries.finished_at":       "when it came to its state",
	"deliveries.detail":            "by whose hand: the entry's", "delivery_lanes.due_at": "when it is tried next",
	"endpoint.created endpoints.state": "each begins active", "endpoint.created endpoints.all_stores": "a relay has no choice of stores",
	"endpoints.changed_by":                  "who did it: the entry's",
	"endpoint.created endpoints.relay_body": "a webhook has none",
	"endpoints.sealed_url":                  "a secret",
	"endpoints.sealed_secret":               "a secret",
	"endpoints.sealed_old_secret":           "a secret",
	"endpoints.old_secret_until":            "always a day",
	"users.password_hash":                   "a secret",
	"account_links.token_hash":              "a secret",
	"second_factors":                        "secrets and used codes: entries say that it was set up or reset",
	"recovery_codes":                        "hashes: entries say how many are left",
	"passkeys":                              "keys and how often they have signed: entries have their names",
	"counter_pins":                          "hashes: entries say whether there is one",
	"counter_tries":                         "how often a PIN was wrong, which is counted",
	"counters.token_hash":                   "a secret",
	"counters.device_id":                    "which browser it is, as it calls itself, is said",
	"counters.made_by":                      "the entry's", "counters.made_at": "as above",
	"counters.ended_by": "as above", "counters.ended_at": "as above",
	"counters.last_user_id":            "as above",
	"passkey_challenges":               "what was used and proves nothing any more",
	"user.proofRefused login_failures": "whose code it was to be, which the entry says without the word before it",
	"factor_rules.ask":                 "said by role",
	"sign_in_steps":                    "secrets of sign-ins that are no sessions yet",
	"sso_rules.break_glass":            "whose account it is, which their address says", "sso_rules.one": "there is one row",
	"sso_links":              "whose account it is, which their address says; it is gone once it was used",
	"sso_identities.subject": "the provider's own name for somebody",
	"sso_identities.user_id": "whose it is: their address is said",
	"sso_flows":              "secrets of ways to the provider",
	"sso_sessions":           "of which of the provider's sessions each came",
	"sso_logouts":            "what the provider said, so that it is taken once",
	"access_helpers":         "who gave somebody a way in: the entry of that act",
	"users.second_from":      "a week after who was made an administrator by one alone",
	"proposals.user_id":      "for whom it is: their address is said", "proposals.key_id": "as above: the key's name",
	"proposals.rights_before": "the entry's before, field by field", "proposals.rights_after": "its after",
	"proposals.asked_by": "whose act it is, or their name",
	"proposals.asked_at": "the entry has the time", "proposals.ended_at": "as above",
	"proposals.ended_by":     "the action says it",
	"account_links.user_id":  "whose it is: their address is said",
	"account_links.ended_at": "the entry has the time", "account_links.ended_by": "the action says it",
	"user.created mails":     "the letter that brings the link, which mailed says",
	"user.linkMade mails":    "as above",
	"user.passwordSet mails": "the letter that tells the person whose act it is", "user.factorReset mails": "as above, or administrators",
	"session.started mails": "as above, of a new device", "session.ended mails": "as above, where it ends another",
	"user.passkeyAdded mails": "as above", "user.recoveryMade mails": "as above",
	"user.passkeyRemoved mails": "as above", "user.factorRemoved mails": "as above",
	"user.pinSet mails": "as above", "user.pinRemoved mails": "as above",
	"user.factorSet mails": "as above", "user.passwordReset mails": "as above",
	"mails.account_notice_id":            "what a person is told of an act, by mail",
	"api_secrets.hash":                   "a secret",
	"api_secrets.key_id":                 "its name is said",
	"api_secrets.replaced_by":            "the one after it, which is said",
	"key.rotated api_secrets.expires_at": "of the one before: overlapHours says it",
	"attempts":                           "what a service answered: the case's move says what it meant",
	"ended_doubts":                       "who has not seen yet how a doubt ended, which the case's move says",
	"inquiries":                          "as above",
	"approvals":                          "who approved what, copied from its entry",
	"mail.tested mails":                  "a letter of fixed words; the recipient is said",
	"user.checkpointMail mails":          "the last checkpoint, to the actor",
	"cancellation.moved mails":           "the letter to who asked, of what the move says",
	"mails.state":                        "the action says it",
	"mails.tries":                        "how often it was tried",
	"mails.lease":                        "which process has it",
	"mails.leased_until":                 "as above", "mails.due_at": "when it is tried next",
	"alerts.cause":       "what it is about, for the database to find it again",
	"alerts.subject":     "as above",
	"alerts.entry_id":    "as above",
	"alerts.store_name":  "the entry has it",
	"comparisons.result": "its sums are said", "comparisons.ended_at": "the entry has the time", "comparisons.at": "as above",
	"recorded_rows":          "lines that rowsSha256 and bound are the hashes of",
	"comparison_differences": "the first ones are said as first, all of them counted",
	"trail_checks.result":    "said in words of its own", "audit_exports.expected": "a guess before it began",
	"audit_exports.subject": "the action says it", "audit_exports.query": "the filters, as an address writes them",
	"sales.exported audit_exports.entries": "said as sales",
	"saved_views.owner_id":                 "only their owner changes or removes them", "saved_views.owner_name": "as above",
	"result.unmatched results": "the action says what became of it",
	"inquiry.sent results":     "the action says that the post which caused it is asked about",
	"test_tasks":               "the queue of the tests",
	"api_answers":              "answers kept to be repeated",
	"api_refusals":             "refusals of this minute, counted",
	"account_notices":          "what a person is told of an act, whose entry it is",
	"sessions":                 "the entry has who, when and from where; the rest is the token",
	"devices":                  "what a browser is known by, and what it is: entries have the latter",
	"known_devices":            "the entry has who and from where; newDevice and ownDevice say what is new",
	"user_stores":              "see mustHaveStores",
	"api_key_stores":           "as above",
	"report_profile_versions":  "how a profile was at each time, copied",
}

// withoutEntry are what changes without anybody's act, or is the work of an act
// that has its entries before and after.
var withoutEntry = map[string]string{
	"api_secrets.last_used_at": "that it was used; what for is an entry", "api_answers": "answers kept to be repeated",
	"ended_doubts": "that it was seen how a doubt ended",
	"results":      "what terminals posted, kept as it was posted", "day_totals": "sums over sales and cases",
	"terminals.last_result_at": "that it was heard of",
	"terminals.address_key":    "at which address", "terminals.shared_posts": "as above",
	"terminals.last_answer":    "that the service answered",
	"terminals.last_answer_at": "as above",
	"inquiries":                "what came of a question that is an entry",
	"deliveries":               "copies of what happened, to be forwarded",
	"delivery_lanes":           "in which order they leave",
	"mails.lease":              "which process has a letter", "mails.leased_until": "as above", "alert_cursor": "how far was looked",
	"trail_checks.begun_at": "that it is at work: its beginning and its end are entries",
	"api_refusals":          "counted; the first is an entry, the others together one",
	"sessions.seen_at":      "that somebody is there, within a minute",
	"known_devices":         "forgotten half a year after the last sign-in", "devices": "as above",
	"device_key":            "what signs the cookies of devices, made once by the first server",
	"imports.done_count":    "how far it is",
	"imports.new_count":     "what was found in a file that nobody has confirmed",
	"imports.refused_count": "as above", "imports.left_out_count": "as above", "imports.warned_count": "as above",
	"import_remarks":  "as above",
	"import_sales":    "as above",
	"imports.version": "as above",
	"imports.state":   "as above: checking and checked",
}

// meaningsOf writes the values of a file's status column as the trail does.
func meaningsOf(v any) any {
	words, _ := v.([]any)
	said := []any{}
	for _, w := range words {
		if word, ok := w.(map[string]any); ok {
			said = append(said, fmt.Sprintf("%v: %v", word["word"], word["meaning"]))
		}
	}
	return said
}
