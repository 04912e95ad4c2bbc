package verify_test

import "veinte/models/modelstest"

// rebuild seals everything again, consistently, with the given keys.
func rebuild(s *modelstest.SealedTrail) {
	s.TB.Helper()
	modelstest.Exec(s.TB, s.Owner, `TRUNCATE sealed_entries, sealed_nodes, checkpoints`)
	s.Dir = s.TB.TempDir()
	s.Seals = s.Process(s.Dir)
	s.All()
}

// cutTo300 cuts the trail back to its first 300 entries.
func cutTo300(s *modelstest.SealedTrail) {
	s.TB.Helper()
	modelstest.Exec(s.TB, s.Owner, `DELETE FROM audit_entries WHERE id IN (SELECT entry_id FROM sealed_entries WHERE n >= 300);
		DELETE FROM sealed_entries WHERE n >= 300;
		DELETE FROM sealed_nodes WHERE (n + 1) << (8 * level) > 300;
		DELETE FROM checkpoints WHERE size > 300`)
}

// columnsOf are the columns of a table, with their types.
func columnsOf(s *modelstest.SealedTrail, table string) (columns []string) {
	s.TB.Helper()
	rows, err := s.Owner.Query(`SELECT attname || ' ' || format_type(atttypid, NULL) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`, table)
	if err != nil {
		s.TB.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c string
		if err := rows.Scan(&c); err != nil {
			s.TB.Fatal(err)
		}
		columns = append(columns, c)
	}
	return columns
}
