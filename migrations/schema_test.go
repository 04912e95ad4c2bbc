package migrations

import (
	"strings"
	"testing"
)

// A database that others use too: Veinte's tables stand in a schema of its own, to which the
// search path of its roles leads, and what others have is neither touched nor in the way.
func TestASchemaOfOurOwn(t *testing.T) {
	t.Parallel()
	pg, super := fresh(t)
	run(t, super, `CREATE ROLE plain LOGIN; CREATE SCHEMA veinte_1 AUTHORIZATION plain; GRANT USAGE ON SCHEMA veinte_1 TO shop_app;
		CREATE TABLE users (of_others int); CREATE TABLE goose_db_version (of_others int);
		CREATE FUNCTION of_others() RETURNS int LANGUAGE sql AS 'SELECT 1'; REVOKE EXECUTE ON FUNCTION of_others() FROM PUBLIC;
		GRANT SELECT ON users TO shop_app; GRANT CREATE ON DATABASE postgres TO plain;
		ALTER ROLE plain IN DATABASE postgres SET search_path = veinte_1, public;
		ALTER ROLE shop_app IN DATABASE postgres SET search_path = veinte_1, public`)
	plain := as(t, pg, "plain")
	up(t, plain, Roles{Server: "shop_app"})
	up(t, plain, Roles{})
	wants(t, as(t, pg, "shop_app"), "in a schema of our own", map[string]bool{
		stores: true, entry: true, leaf: true, `DELETE FROM sales`: false, `UPDATE audit_entries SET reason = ''`: false,
		`SELECT name FROM users`: true, `SELECT of_others FROM public.users`: true, `SELECT of_others()`: false,
	})
	var missing int
	if err := as(t, pg, "shop_app").QueryRow(`SELECT count(*) FROM missing_rights()`).Scan(&missing); err != nil || missing > 0 {
		t.Errorf("the server misses %d rights, %v", missing, err)
	}
	var elsewhere string
	if err := super.QueryRow(`SELECT coalesce(string_agg(p.oid::regprocedure || ' ' || coalesce(p.proconfig::text, ''), ', '), '')
		FROM pg_proc p WHERE pg_get_userbyid(proowner) = 'plain' AND (p.proconfig::text || p.prosrc) ~ '\ypublic\y'
			OR pronamespace = 'public'::regnamespace AND proname <> 'of_others'`).Scan(&elsewhere); err != nil || elsewhere != "" {
		t.Errorf("functions that look into public = %q, %v", elsewhere, err)
	}
	if pending, err := Pending(t.Context(), plain); err != nil || len(pending) > 0 {
		t.Errorf("pending = %v, %v", pending, err)
	}
}

// Functions and tables of others in the schema that Veinte shares with them stay theirs.
func TestOthersStandInTheSameSchema(t *testing.T) {
	t.Parallel()
	pg, super := fresh(t)
	run(t, super, `CREATE ROLE plain LOGIN; GRANT ALL ON DATABASE postgres TO plain; GRANT ALL ON SCHEMA public TO plain;
		CREATE TABLE of_others (id int); GRANT SELECT ON of_others TO shop_app;
		CREATE FUNCTION of_others() RETURNS int LANGUAGE sql AS 'SELECT 1'; REVOKE EXECUTE ON FUNCTION of_others() FROM PUBLIC`)
	up(t, as(t, pg, "plain"), Roles{Server: "shop_app"})
	wants(t, as(t, pg, "shop_app"), "beside others", map[string]bool{
		stores: true, `SELECT id FROM of_others`: true, `SELECT of_others()`: false,
	})
}

// A search path that leads elsewhere is named, and nothing is made there.
func TestASearchPathThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	pg, super := fresh(t)
	run(t, super, `CREATE ROLE plain LOGIN; CREATE SCHEMA veinte_1 AUTHORIZATION plain; GRANT CREATE ON DATABASE postgres TO plain;
		CREATE SCHEMA "Veinte" AUTHORIZATION plain; CREATE SCHEMA veinte_2 AUTHORIZATION plain;
		ALTER ROLE plain IN DATABASE postgres SET search_path = veinte_1`)
	up(t, as(t, pg, "plain"), Roles{})
	for path, want := range map[string]string{
		"nowhere":  "(nowhere) names no schema that there is",
		"veinte_2": "leads to the schema veinte_2, and Veinte's tables stand in veinte_1",
		`"Veinte"`: "want a name of small letters",
	} {
		run(t, super, "ALTER ROLE plain IN DATABASE postgres SET search_path = "+path)
		if _, err := Up(t.Context(), as(t, pg, "plain"), Roles{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Up with the search path %s = %v, want …%s…", path, err, want)
		}
	}
	var made int
	if err := super.QueryRow(`SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname IN ('veinte_2', 'Veinte')`).Scan(&made); err != nil || made > 0 {
		t.Errorf("%d things were made where the path led, %v", made, err)
	}
}
