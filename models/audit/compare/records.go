package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// records is what the entries about the shop's own arrangements come to: few of them, so
// they are folded in memory.
type records struct {
	closings      []closedEntry
	undoneImports map[int64]bool
	imports       map[int64]bound // the sales of files, by their number
	results       map[int64]bound // by the number of the first of a block
	stores        map[int64]*record
	terminals     map[string]*record // by serial number
	people        map[string]*record // by address
	reasons       map[string]*record // by code
	keys          map[string]*record // by the first characters of each of their secrets
	secrets       credentials
	passkeys      credentials
	rules         []*record
	withdrawn     []*record // planned rules that were taken back
	order         *record   // of the reasons
}

// record is one thing, as its entries leave it.
type record struct {
	entry  int64 // the last that changed it
	month  int64 // of that entry
	at     time.Time
	values map[string]string
	places []place // of a terminal
	seen   bool    // its row is there
}

// place is where a terminal stands from an instant on.
type place struct {
	store, merchant string
	from            time.Time
	entry           int64
}

// recordEntry is an entry about an arrangement.
type recordEntry struct {
	id            int64
	at            time.Time
	action        models.Action
	store         int64
	serial        string
	actor, reason string
	rawBefore     []byte
	rawAfter      []byte
	before, after map[string]any
}

// recordsSQL reads the entries of acts that succeeded, in the order of the trail.
var recordsSQL = `SELECT id, at, action, coalesce(store_id, 0), serial_number, actor_name, reason, before, after FROM audit_entries
	WHERE (outcome = 'success' OR action = '` + string(models.ActionAuditCompared) + `') AND action IN ` + quoted(
	models.ActionDayClosed, models.ActionSalesImported, models.ActionAuditCompared,
	models.ActionImportUndone, models.ActionAuditArchived,
	models.ActionStoreCreated, models.ActionStoreChanged, models.ActionStoreRemoved,
	models.ActionTerminalCreated, models.ActionTerminalChanged, models.ActionTerminalMoved, models.ActionMovePlanned,
	models.ActionMoveWithdrawn, models.ActionTerminalRetired, models.ActionTerminalRestored, models.ActionTerminalRemoved,
	models.ActionUserCreated, models.ActionUserChanged, models.ActionUserDisabled, models.ActionUserEnabled,
	models.ActionPasskeyAdded, models.ActionPasskeyRemoved, models.ActionFactorReset,
	models.ActionRightsConfirmed, models.ActionKeyCreated, models.ActionKeyRotated, models.ActionKeyRevoked,
	models.ActionRulesChanged, models.ActionRulesWithdrawn, models.ActionReasonsChanged) + `
	ORDER BY era, txid, id`

// readRecords folds those entries.
func (r *run) readRecords(ctx context.Context, tx pgx.Tx) error {
	r.records = records{
		undoneImports: map[int64]bool{}, imports: map[int64]bound{}, results: map[int64]bound{},
		stores: map[int64]*record{}, terminals: map[string]*record{}, people: map[string]*record{}, reasons: seededReasons(),
		keys: map[string]*record{}, secrets: newCredentials(), passkeys: newCredentials(),
	}
	c, err := open(ctx, tx, "record_entries", recordsSQL, func(e *recordEntry) []any {
		return []any{&e.id, &e.at, &e.action, &e.store, &e.serial, &e.actor, &e.reason, &e.rawBefore, &e.rawAfter}
	})
	if err != nil {
		return err
	}
	for e := c.peek(); e != nil; e = c.peek() {
		r.Entries++
		r.LastEntry = max(r.LastEntry, e.id)
		for _, side := range []struct {
			raw  []byte
			into *map[string]any
		}{{e.rawBefore, &e.before}, {e.rawAfter, &e.after}} {
			if len(side.raw) == 0 {
				continue
			}
			if err := json.Unmarshal(side.raw, side.into); err != nil {
				return fmt.Errorf("read entry %d: %w", e.id, err)
			}
		}
		r.fold(e)
		c.take()
	}
	return c.err
}

func (r *run) fold(e *recordEntry) {
	f := &r.records
	switch kind, _, _ := strings.Cut(string(e.action), "."); {
	case e.action == models.ActionDayClosed:
		closed := closedEntry{entry: e.id}
		_ = json.Unmarshal(e.rawAfter, &closed) // a day that cannot be read has no report
		f.closings = append(f.closings, closed)
	case e.action == models.ActionSalesImported:
		if digest := text(e.after["rowsSha256"]); digest != "" {
			f.imports[number(e.after["importId"])] = bound{digest, e.id}
		}
	case e.action == models.ActionAuditCompared:
		f.foldBound(e)
	case e.action == models.ActionImportUndone:
		f.undoneImports[number(e.after["importId"])] = true
	case e.action == models.ActionAuditArchived:
		r.foldArchived(e)
	case e.action == models.ActionStoreRemoved:
		delete(f.stores, e.store)
	case kind == "store":
		e.into(of(f.stores, e.store), "code", "name", "timeZone")
	case kind == "terminal":
		f.foldTerminal(e)
	case e.action == models.ActionPasskeyAdded, e.action == models.ActionPasskeyRemoved, e.action == models.ActionFactorReset:
		f.foldPasskey(e)
	case kind == "user", e.action == models.ActionRightsConfirmed && e.after["email"] != nil:
		f.foldPerson(e)
	case kind == "key", kind == "rights":
		f.foldKey(e)
	case e.action == models.ActionRulesChanged:
		f.rules = append(f.rules, e.rule(e.after))
	case e.action == models.ActionRulesWithdrawn:
		f.withdrawn = append(f.withdrawn, e.rule(e.before))
	case kind == "reasons":
		f.foldReason(e)
	}
}

// foldBound reads what a comparison has bound of results.
func (f *records) foldBound(e *recordEntry) {
	said, _ := e.after["bound"].(map[string]any)
	for first, digest := range said {
		if n, err := strconv.ParseInt(first, 10, 64); err == nil {
			f.results[n] = bound{text(digest), e.id}
		}
	}
}

func (r *run) foldArchived(e *recordEntry) {
	month := text(e.after["month"])
	first, err := time.Parse("2006-01", month)
	if err != nil || slices.Contains(r.Months, month) {
		return
	}
	r.months[monthOf(first)] = true
	r.lastArchived = max(r.lastArchived, monthOf(first))
	r.Months = append(r.Months, month)
}

// of returns the record of a key, a new one when there is none.
func of[K comparable](m map[K]*record, key K) *record {
	if m[key] == nil {
		m[key] = &record{}
	}
	return m[key]
}

// into writes attributes of the entry's after to a record. What it does not say stays.
func (e *recordEntry) into(x *record, names ...string) {
	x.entry, x.month, x.at = e.id, monthOf(e.at), e.at
	if x.values == nil {
		x.values = map[string]string{}
	}
	for _, name := range names {
		if v, told := e.after[name]; told {
			x.values[name] = text(v)
		}
	}
}

func (f *records) foldTerminal(e *recordEntry) {
	if e.action == models.ActionTerminalRemoved {
		delete(f.terminals, e.serial)
		return
	}
	t := of(f.terminals, e.serial)
	e.into(t, "label", "retired")
	told := e.after
	if e.action == models.ActionMoveWithdrawn {
		told = e.before
	}
	from, err := time.Parse(time.RFC3339Nano, text(told["from"]))
	if err != nil {
		return
	}
	from = from.Truncate(time.Microsecond)
	t.places = slices.DeleteFunc(t.places, func(p place) bool { return p.from.Equal(from) })
	if e.action != models.ActionMoveWithdrawn {
		t.places = append(t.places, place{id(e.store), text(told["merchantId"]), from, e.id})
		slices.SortFunc(t.places, func(a, b place) int { return a.from.Compare(b.from) })
	}
}

func (f *records) foldPerson(e *recordEntry) {
	email := text(e.after["email"])
	if was := text(e.before["email"]); was != "" && was != email {
		f.people[email] = f.people[was]
		delete(f.people, was)
		f.passkeys.rename(was, email)
	}
	e.into(of(f.people, email), "name", "role", "allStores", "stores", "accessUntil", "disabled")
}

// foldKey follows a key by its secrets: a name may come back after its key was revoked.
func (f *records) foldKey(e *recordEntry) {
	var k *record
	prefix := text(e.after["prefix"])
	switch before := text(e.before["prefix"]); {
	case e.action == models.ActionKeyCreated:
		k = &record{}
	case before != "":
		k = f.keys[before]
	default: // a scope that another administrator confirmed: of the name that is in use
		for _, x := range f.keys {
			if x.values["name"] == text(e.after["name"]) && x.values["revoked"] != "true" && (k == nil || x.entry > k.entry) {
				k = x
			}
		}
	}
	if made := e.action == models.ActionKeyCreated || e.action == models.ActionKeyRotated; made && prefix != "" {
		f.secrets.add(e, named{text(e.after["name"]), prefix}, text(e.after["secretSha256"]))
	}
	if k == nil { // it began in an archived month
		k = &record{}
	}
	if prefix != "" {
		f.keys[prefix] = k
	} else if before := text(e.before["prefix"]); before != "" {
		f.keys[before] = k
	}
	e.into(k, "name", "scopes", "withheld", "allStores", "perMinute", "stores", "prefix", "expiresAt")
	if e.action == models.ActionKeyRevoked {
		k.values["revoked"] = "true"
	}
}

// rule is a version of the rules as one side of its entry has it.
func (e *recordEntry) rule(told map[string]any) *record {
	x := &record{entry: e.id, month: monthOf(e.at), at: e.at, values: map[string]string{"setBy": e.actor, "note": e.reason}}
	for name, v := range told {
		x.values[name] = text(v)
	}
	return x
}

func (f *records) foldReason(e *recordEntry) {
	if e.after["order"] != nil {
		f.order = &record{entry: e.id, month: monthOf(e.at), values: map[string]string{"order": text(e.after["order"])}}
		return
	}
	e.into(of(f.reasons, text(e.after["code"])), "labelEs", "labelEn", "inUse")
}

// seededReasons are those that every shop begins with. No entry made them; migration 4 did.
func seededReasons() map[string]*record {
	all := map[string]*record{}
	for code, labels := range map[string][2]string{
		"customerRequest": {"El cliente cambió de opinión", "The customer changed their mind"},
		"wrongAmount":     {"Monto equivocado", "Wrong amount"},
		"chargedTwice":    {"Se cobró dos veces", "Charged twice"},
		"wrongProduct":    {"Producto equivocado o agotado", "Wrong or missing product"},
		"otherPayment":    {"Pagará de otra forma", "Will pay another way"},
		"other":           {"Otro motivo (explícalo en la nota)", "Another reason (say it in the note)"},
	} {
		all[code] = &record{values: map[string]string{"labelEs": labels[0], "labelEn": labels[1], "inUse": "true"}}
	}
	return all
}

// number reads a whole number of an entry's attributes.
func number(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}

// text writes an attribute as it is compared: lists in order, whole numbers whole, and
// nothing as "".
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		all := make([]string, len(v))
		for i := range v {
			all[i] = text(v[i])
		}
		return strings.Join(all, " ")
	case map[string]any:
		raw, _ := json.Marshal(v) // in the order of the names
		return string(raw)
	}
	return fmt.Sprint(v)
}

// hidden reports whether a text may be written otherwise in the trail, which masks what may
// be a card's number.
func hidden(s string) bool { return manyDigits.MatchString(s) }

var manyDigits = regexp.MustCompile(`([0-9][^0-9]*){12}`)
