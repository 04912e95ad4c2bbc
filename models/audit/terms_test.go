package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/modelstest"
)

// TestAQueryIsSplitAsEntriesAre compares SearchWords with the database's function:
// where they differ, an entry is not found by its own words.
func TestAQueryIsSplitAsEntriesAre(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	same := func(tb interface{ Errorf(string, ...any) }, text string) {
		var terms []string
		err := o.Owner.QueryRow(`SELECT coalesce(string_to_array(string_agg(l, ' ' ORDER BY l COLLATE "C"), ' '), '{}')
			FROM unnest(tsvector_to_array(
			audit_terms(now(), 1, $1, 'manager', '', 'a.b', 'success', 1, '', '', '', 1, 1, NULL, NULL, '', ''))) l
			WHERE l NOT LIKE '=%'`, text).Scan(array(&terms))
		if err != nil {
			tb.Errorf("audit_terms(%q): %v", text, err)
			return
		}
		want := audit.SearchWords(text)
		slices.Sort(want)
		if want = slices.Compact(want); strings.Join(terms, " ") != strings.Join(want, " ") {
			tb.Errorf("%q: the database finds it by %q, a query looks for %q", text, terms, want)
		}
	}
	for _, text := range []string{
		"Sofía Peña", "CANCÚN centro", "261120113000-1490000009", "mal@tienda.mx", "“Ñandú” — ¿qué?", "cafe\u0301 x", "O'Higgins\\n",
		"a:b*c!d|e&f",
		"日本 東京", "ÜBER naïve garçon", "", "   ", "=s1 '=p2'", "x\ty\nz", "$1,250.00", "…", "\u00a0nbsp\u2003em", "emoji 😀!",
	} {
		same(t, text)
	}
	rapid.Check(t, func(rt *rapid.T) {
		same(rt, rapid.StringOfN(rapid.RuneFrom([]rune("aZñÁéÜ0 9.-_'\"\\:=|&!()*¿“…\u0301\u00a0日ßx")), 0, 40, -1).Draw(rt, "text"))
	})
}

// TestReadingsAreMarked: what the list leaves out as a reading is what the index
// marks as one.
func TestReadingsAreMarked(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, action := range models.Actions {
		f := audit.Filter{Action: action}
		reading := f.Listed().Reads != audit.ReadsOut // requested alone, it is not left out
		var marked bool
		if err := o.Owner.QueryRow(`SELECT audit_terms(now(), 1, 'x', 'manager', '', $1, 'success',
			NULL, '', '', '', NULL, NULL, NULL, NULL, '', '') @@ '''=w'''::tsquery`, string(action)).Scan(&marked); err != nil {
			t.Fatal(err)
		}
		if marked != reading {
			t.Errorf("%s is marked as a reading: %t, want %t", action, marked, reading)
		}
	}
}

// TestTheIndexFindsReadingsAndActs: for a user who mostly reads, and for old entries
// that only the index of marks finds, every filter finds what plain SQL does, with
// readings and without.
func TestTheIndexFindsReadingsAndActs(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	fillTrail(t, o.Owner, 2_000)
	if _, err := o.Owner.Exec(`INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, amount, address, canonical)
		SELECT timestamptz '2026-04-10T18:00Z' + n * interval '1 minute', 900, 'Norma Quevedo', 'auditor',
			CASE WHEN n % 4 = 0 THEN 'user.changed' ELSE 'oversight.read' END,
			(ARRAY['success','denied','failure'])[1 + n / 2 % 3], CASE WHEN n % 8 = 0 THEN 100 * n END, '10.9.9.9', 'x'
		FROM generate_series(1, 60) n`); err != nil {
		t.Fatal(err)
	}
	least := models.Money(1)
	for _, f := range []audit.Filter{
		{ActorID: 900},
		{Role: "auditor"},
		{Address: "10.9.9.9"},
		{Role: "auditor", Outcome: models.OutcomeSuccess},
		{Role: "auditor", Outcome: models.OutcomeDenied},
		{ActorID: 900, Outcome: models.OutcomeSuccess},
		{ActorID: 900, Outcome: models.OutcomeFailure},
		{ActorID: 900, Action: models.ActionOversightRead},
		{ActorID: 900, Action: models.ActionUserChanged},
		{Role: "auditor", Action: models.ActionUserChanged, Outcome: models.OutcomeDenied},
		{Outcome: models.OutcomeFailure, Min: &least, Address: "10.9.9.9"},
		{Query: "quevedo"},
		{Query: "quevedo", Outcome: models.OutcomeSuccess},
	} {
		for _, f.Reads = range []audit.Reads{"", audit.ReadsOut} {
			want := idsOf(t, o.Owner, plainly(&f))
			if got, _ := turnPages(t, o, o.Supervisor, f); !slices.Equal(got, want) {
				t.Errorf("%s: pages hold %v, plain SQL finds %v", plainly(&f), got, want)
			}
		}
	}
}

// TestNothingKeepsAnEntryFromBeingMarked: an entry can be written whatever it
// contains, because an act without its entry does not happen.
func TestNothingKeepsAnEntryFromBeingMarked(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for fact, args := range map[string][]any{
		"a word of 100 KB":     {strings.Repeat("x", 100_000), `{}`, "", ""},
		"a megabyte of words":  {strings.Repeat("ab cd ", 200_000), `{}`, "", ""},
		"a megabyte of JSON":   {"x", `{"a":"` + strings.Repeat("é0 ", 300_000) + `"}`, "", ""},
		"quotes everywhere":    {`'\:*`, `{"a'b":"c\"d\\e'"}`, `O'Neil: 'x' \`, `'1.2.3.4`},
		"an address of IPv6":   {"x", `{}`, "", "2001:db8::1"},
		"a reason like a mark": {"x", `{}`, "=s1 =p2", ""},
		"nothing":              {"", `null`, "", ""},
	} {
		var n int
		if err := o.Owner.QueryRow(`SELECT length(audit_terms(now(), 1, $1, 'a''b\:', '', 'a.b', 'success',
			NULL, '', '''; \', '', NULL, NULL, $2::jsonb, NULL, $3, $4))`, args...).Scan(&n); err != nil || n == 0 {
			t.Errorf("%s: %d terms, %v", fact, n, err)
		}
	}
}

// array scans an array of texts that database/sql cannot.
func array(into *[]string) any { return pgtype.NewMap().SQLScanner(into) }
