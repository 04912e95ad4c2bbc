// Package rows records every row that the application changes in a test, and compares the
// trail with them.
package rows

import (
	"encoding/json"
	"testing"

	"veinte/models/modelstest"
)

// Recorder records the changes of a database: every row that the application's role
// adds, changes or removes is stored as it was and as it is, with the transaction.
// So the trail can be compared with what happened. Changes by the owner are made by
// the test and are not recorded.
type Recorder struct {
	tb testing.TB
	o  *modelstest.Office

	stores map[string][]any // names by number, while it judges
}

// Change is a row as a transaction found and left it; nil where there was none.
type Change struct {
	Table   string
	Was, Is map[string]any
}

// witnessed is the schema of the recorded changes. Tables of the trail itself are
// verified elsewhere, and have triggers of their own.
const witnessed = `
CREATE SCHEMA witness;
CREATE TABLE witness.rows (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    name text NOT NULL,
    was jsonb,
    "is" jsonb
);
CREATE INDEX ON witness.rows (txid);
CREATE FUNCTION witness.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF session_user = '` + modelstest.AppRole + `' THEN
        INSERT INTO witness.rows (name, was, "is") VALUES (TG_TABLE_NAME,
            CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
    END IF;
    RETURN NULL;
END $$;
DO $$
DECLARE t regclass;
BEGIN
    FOR t IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' 
            AND relname NOT IN ('goose_db_version', 'sealed_entries', 'sealed_nodes', 'checkpoints', 'checkpoint_beats') LOOP
        EXECUTE format('CREATE TRIGGER zz_witness AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION witness.see()', t);
    END LOOP;
END $$`

// Record begins to record the changes of the office's database.
func Record(tb testing.TB, o *modelstest.Office) *Recorder {
	tb.Helper()
	if _, err := o.Owner.Exec(witnessed); err != nil {
		tb.Fatalf("call a witness: %v", err)
	}
	return &Recorder{tb: tb, o: o}
}

// Changes returns what each transaction did since, by its number, in order.
func (w *Recorder) Changes() map[string][]Change {
	w.tb.Helper()
	rows, err := w.o.Owner.Query(`SELECT txid::text, name, coalesce(was, 'null'), coalesce("is", 'null') FROM witness.rows ORDER BY n`)
	if err != nil {
		w.tb.Fatalf("hear the witness: %v", err)
	}
	defer rows.Close()
	changes := map[string][]Change{}
	for rows.Next() {
		var tx string
		var c Change
		var was, is []byte
		if err := rows.Scan(&tx, &c.Table, &was, &is); err != nil {
			w.tb.Fatalf("hear the witness: %v", err)
		}
		for raw, into := range map[*[]byte]*map[string]any{&was: &c.Was, &is: &c.Is} {
			if err := json.Unmarshal(*raw, into); err != nil {
				w.tb.Fatalf("hear the witness: %s: %v", *raw, err)
			}
		}
		changes[tx] = append(changes[tx], c)
	}
	if err := rows.Err(); err != nil {
		w.tb.Fatalf("hear the witness: %v", err)
	}
	return changes
}
