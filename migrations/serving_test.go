package migrations

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Which versions may serve is in the database, for those that come later and those that
// were there before.
func TestSchemasServeSideBySide(t *testing.T) {
	t.Parallel()
	_, owner := fresh(t)
	compare := func() Schemas {
		t.Helper()
		s, err := Compare(t.Context(), owner)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := compare(); s.Database != 0 || s.Err() != nil {
		t.Errorf("beside an empty database: %+v, %v", s, s.Err())
	}
	up(t, owner, Roles{})
	s := compare()
	if s.Program != s.Database || s.Err() != nil {
		t.Errorf("after veinte migrate up: %+v, %v", s, s.Err())
	}
	var stored int64
	if err := owner.QueryRow(`SELECT oldest FROM serving_schemas`).Scan(&stored); err != nil || stored != oldest {
		t.Errorf("the files say %d, %v, and the program %d", stored, err, oldest)
	}
	run(t, owner, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9000, true)`)
	if s := compare(); s.Database != 9000 || s.Err() != nil {
		t.Errorf("beside a later schema that it may serve: %+v, %v", s, s.Err())
	}
	run(t, owner, `UPDATE serving_schemas SET oldest = 9000`)
	if s := compare(); s.Err() == nil || !strings.Contains(s.Err().Error(), "run the later release") {
		t.Errorf("beside one that it may not serve: %+v, %v", s, s.Err())
	}
}

// One program migrates at a time, from the first file to the last right.
func TestOneProgramMigrates(t *testing.T) {
	t.Parallel()
	_, owner := fresh(t)
	unlock, err := alone(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*lockBeat)
	defer cancel()
	if applied, err := Up(ctx, owner, Roles{}); err == nil || applied != nil {
		t.Errorf("beside another program Up = %q, %v, want that it waits", applied, err)
	}
	unlock()
	done := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := Up(context.Background(), owner, Roles{Server: "shop_app"})
			done <- err
		}()
	}
	for range 2 {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("two programs wait for one another")
		}
	}
}

// What a role lacks is named.
func TestMissingRightsAreNamed(t *testing.T) {
	t.Parallel()
	pg, owner := fresh(t)
	up(t, owner, Roles{Server: "shop_app"})
	app := as(t, pg, "shop_app")
	missing := func() (names []string) {
		t.Helper()
		rows, err := app.Query(`SELECT missing_rights()`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return names
	}
	if got := missing(); got != nil {
		t.Errorf("after veinte migrate up the role lacks %q", got)
	}
	run(t, owner, `REVOKE INSERT ON stores FROM shop_app; REVOKE UPDATE (first_byte_at) ON attempts FROM shop_app;
		REVOKE USAGE ON SEQUENCE river_job_id_seq FROM shop_app; REVOKE EXECUTE ON FUNCTION undo_sale(bigint, timestamptz) FROM shop_app`)
	got := missing()
	for _, want := range []string{
		"INSERT ON stores", "EXECUTE ON FUNCTION undo_sale(bigint, timestamptz)", "USAGE ON SEQUENCE river_job_id_seq",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("missing rights = %q, want %q among them", got, want)
		}
	}
	ofColumns := func(s string) bool {
		return strings.HasPrefix(s, "UPDATE (first_byte_at") && strings.HasSuffix(s, "attempts")
	}
	if len(got) != 4 || !slices.ContainsFunc(got, ofColumns) {
		t.Errorf("missing rights = %q, want four, one of them of columns", got)
	}
	up(t, owner, Roles{})
	if got := missing(); got != nil {
		t.Errorf("after veinte migrate up alone the role lacks %q", got)
	}
}

// heldFrom is the first file that is held to the rules below. Those before it were written
// for databases that nothing served meanwhile.
const heldFrom = 95

var (
	sqlComment = regexp.MustCompile(`--[^\n]*`)
	tableMade  = regexp.MustCompile(`(?i)CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([a-z_.]+)`)
	indexMade  = regexp.MustCompile(`(?i)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?[a-z_]+\s+ON (?:ONLY )?([a-z_.]+)`)
	takesAway  = regexp.MustCompile(`(?i)\b(DROP (TABLE|COLUMN|FUNCTION|VIEW)|RENAME (COLUMN |TO )|` +
		`ALTER (COLUMN )?[a-z_]+ (SET NOT NULL|TYPE))`)
)

// misfit says what a file does that servers which go on serving would not survive.
func misfit(text string) string {
	text = sqlComment.ReplaceAllString(text, "")
	made := map[string]bool{}
	for _, m := range tableMade.FindAllStringSubmatch(text, -1) {
		made[m[1]] = true
	}
	for _, m := range indexMade.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && !made[m[2]] {
			return "builds an index on " + m[2] + " while nobody can write there: CREATE INDEX CONCURRENTLY, with -- +goose NO TRANSACTION"
		}
	}
	if m := takesAway.FindString(text); m != "" && !strings.Contains(text, "UPDATE serving_schemas SET oldest") {
		return m + " takes away what servers of the release before use: do so one release later, and raise serving_schemas.oldest"
	}
	return ""
}

func TestMigrationsExpandFirst(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if number, _ := strconv.Atoi(name[:5]); number < heldFrom {
			continue
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := misfit(string(text)); wrong != "" {
			t.Errorf("%s %s", name, wrong)
		}
	}
	for text, want := range map[string]string{
		`CREATE TABLE a (x int); CREATE INDEX a_x ON a (x); ALTER TABLE sales ADD COLUMN y int;`: "",
		`CREATE INDEX CONCURRENTLY sales_x ON sales (x);`:                                        "",
		`CREATE UNIQUE INDEX sales_x ON sales (x);`:                                              "builds an index on sales",
		`ALTER TABLE sales DROP COLUMN folio;`:                                                   "DROP COLUMN",
		`ALTER TABLE sales RENAME COLUMN folio TO f; UPDATE serving_schemas SET oldest = 95;`:    "",
		`ALTER TABLE sales ALTER COLUMN folio SET NOT NULL;`:                                     "ALTER COLUMN folio SET NOT NULL",
		`-- DROP TABLE is for later`:                                                             "",
	} {
		if got := misfit(text); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("misfit(%q) = %q, want %q", text, got, want)
		}
	}
}
