package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/audit/compare"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/models/modelstest"
	"veinte/models/rules"
	"veinte/models/wiring"
)

// shop is an office with a busy day behind it, as its own people made it.
type shop struct {
	*modelstest.Office
	sale  *models.Sale         // with a confirmed cancellation
	plain *models.Sale         // charged
	c     *models.Cancellation // of sale
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Office: modelstest.NewOffice(t, func(c *wiring.Config) { c.Address = address })}
	s.plain = s.Sale(7_500_00)
	for _, state := range modelstest.EveryState {
		s.Terminal = s.NewTerminal(s.Store) // one has one push at a time
		sale, c := s.StateOf(state)
		if state == models.Confirmed {
			s.sale, s.c = sale, c
		}
	}
	s.enrolled(t)
	return s
}

// enrolled records the people whom tests add as rows, as if the product had added them.
func (s *shop) enrolled(t *testing.T) {
	t.Helper()
	err := s.DB.InTx(t.Context(), func(tx database.Tx) error {
		var people []models.User
		if err := tx.Find(&people).Error; err != nil {
			return err
		}
		for i := range people {
			u := &people[i]
			err := tx.Raw(`SELECT coalesce(array_agg(store_id ORDER BY store_id), '{}') FROM user_stores WHERE user_id = ?`, u.ID).
				Row().Scan(pgtype.NewMap().SQLScanner(&u.StoreIDs))
			if err != nil {
				return err
			}
			about := audit.About{After: u.Attributes()}
			if err := audit.Record(tx, s.Admin, s.Clock.Now(), models.ActionUserCreated, models.OutcomeSuccess, about); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bound lets a night pass, in which what terminals posted is bound.
func (s *shop) bound(t *testing.T) {
	t.Helper()
	s.Clock.Advance(time.Hour)
	if _, r, err := s.Compare.Run(t.Context(), models.System("comparison", "")); err != nil || r.State != compare.Intact {
		t.Fatalf("Run() = %v, %v", lines(r), err)
	}
}

func (s *shop) compared(t *testing.T) *compare.Result {
	t.Helper()
	r, err := s.Compare.Compare(t.Context())
	if err != nil {
		t.Fatalf("Compare() = %v", err)
	}
	return r
}

// unguarded lets the owner do what triggers refuse.
func (s *shop) sql(t *testing.T, statement string, args ...any) {
	t.Helper()
	tx, err := s.Owner.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec(`SET LOCAL session_replication_role = replica`); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"closings", "closing_terminals", "results", "recorded_rows"} { // their triggers fire always
		if _, err := tx.Exec(`ALTER TABLE ` + table + ` DISABLE TRIGGER USER`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// lines writes differences as kind table row field: recorded → found.
func lines(r *compare.Result) (all []string) {
	for _, d := range r.Differences {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s: %s → %s", d.Kind, d.Table, d.Row, d.Field, d.Recorded, d.Found)))
	}
	return all
}

func TestAnUntouchedShopDoesNotDiffer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, close := range []bool{false, true} {
		if close {
			modelstest.CloseDay(t, s.Office, time.Minute)
		}
		r := s.compared(t)
		if r.State != compare.Intact || len(r.Differences) > 0 {
			t.Errorf("closed %v: Compare() = %s %v, want intact", close, r.State, lines(r))
		}
	}
}

// TestACorrectionIsNoDifference: a sale that was corrected after its day was closed is worth
// what the correction says, and one that was taken back is gone.
func TestACorrectionIsNoDifference(t *testing.T) {
	t.Parallel()
	s := &shop{Office: modelstest.NewOffice(t)}
	key := modelstest.RequestKey()
	one, other := modelstest.GivenSale(s.Office, "CORREGIDA"), modelstest.GivenSale(s.Office, "OTRA")
	told := modelstest.Record(t, s.Office, key, modelstest.ByAPI, one, other)
	modelstest.CloseDay(t, s.Office, time.Minute)
	c := intake.Correction{Source: models.SourceAPI, Facts: map[string]string{"amount": "990.00"}}
	if _, wrong, err := s.Intake.Correct(t.Context(), key, told[0].SaleID, c); err != nil || len(wrong) > 0 {
		t.Fatalf("Correct() = %v, %v", wrong, err)
	}
	if err := s.Intake.TakeBack(t.Context(), key, told[1].SaleID, models.SourceAPI, ""); err != nil {
		t.Fatalf("TakeBack() = %v", err)
	}
	s.enrolled(t)
	if r := s.compared(t); r.State != compare.Intact {
		t.Errorf("Compare() = %s %v, want intact", r.State, lines(r))
	}
	s.sql(t, `UPDATE sales SET amount = 125000 WHERE id = $1`, told[0].SaleID) // as it was
	if r := s.compared(t); len(r.Differences) != 1 || r.Differences[0].Recorded != "990.00" {
		t.Errorf("Compare() = %s %v, want the correction", r.State, lines(r))
	}
}

// TestManipulationsAreNamed: what a superuser changes beside the trail is named with its
// row and both values.
func TestManipulationsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, s *shop)
		want func(s *shop) string
	}{
		{
			"a sale's amount", func(t *testing.T, s *shop) { s.sql(t, `UPDATE sales SET amount = 100 WHERE id = $1`, s.sale.ID) },
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d amount: %s → 1.00", s.sale.ID, s.sale.Amount.Decimal())
			},
		},
		{
			"a cancellation's state", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE cancellations SET state = 'rejected' WHERE id = $1`, s.c.ID)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed cancellations %d state: confirmed → rejected", s.c.ID)
			},
		},
		{
			"a cancellation that is gone", func(t *testing.T, s *shop) {
				s.sql(t, `DELETE FROM cancellations WHERE id = $1`, s.c.ID)
			},
			func(s *shop) string { return fmt.Sprintf("missing cancellations %d :", s.c.ID) },
		},
		{
			"the amount of a closed day", func(t *testing.T, s *shop) {
				modelstest.CloseDay(t, s.Office, time.Minute)
				s.sql(t, `UPDATE sales SET amount = 100 WHERE id = $1`, s.plain.ID)
			},
			func(s *shop) string { return fmt.Sprintf("changed sales %d amount: 7500.00 → 1.00", s.plain.ID) },
		},
		{
			"a sale's store", func(t *testing.T, s *shop) {
				other := modelstest.Store(t, s.DB, s.Clock.Now(), "OTRA")
				s.sql(t, `UPDATE sales SET store_id = $2 WHERE id = $1`, s.sale.ID, other.ID)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d store_id: %s → OTRA", s.sale.ID, s.Store.Code)
			},
		},
		{
			"a sale that is gone", func(t *testing.T, s *shop) {
				s.sql(t, `DELETE FROM sales WHERE id = $1`, s.sale.ID)
			},
			func(s *shop) string { return fmt.Sprintf("missing sales %d : %s", s.sale.ID, s.sale.Amount.Decimal()) },
		},
		{
			"what a list says of a sale", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE sales SET state = 'cancelable' WHERE id = $1`, s.sale.ID)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d state: confirmed → cancelable", s.sale.ID)
			},
		},
		{
			"a cancellation that nobody asked for", func(t *testing.T, s *shop) {
				s.sql(t, `INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin, requester, click,
					requested_at, cutoff_at, changed_at) SELECT id, store_id, terminal_id, 'confirmed', false, 'other', '', 'terminal', 'x', 'x',
					now(), now(), now() FROM sales WHERE id = $1`, s.plain.ID)
			},
			func(*shop) string { return "unrecorded cancellations" },
		},
		{
			"who asked", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE cancellations SET requester = 'Otra persona' WHERE id = $1`, s.c.ID)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed cancellations %d requester: %s → Otra persona", s.c.ID, s.Manager.Name)
			},
		},
		{
			"an attempt that is gone", func(t *testing.T, s *shop) {
				s.sql(t, `DELETE FROM attempts WHERE cancellation_id = $1`, s.c.ID)
			},
			func(s *shop) string { return fmt.Sprintf("missing attempts %d/1", s.c.ID) },
		},
		{
			"the bytes of a closing", func(t *testing.T, s *shop) {
				modelstest.CloseDay(t, s.Office, time.Minute)
				s.sql(t, `UPDATE closings SET canonical = '{}', hash = sha256('{}')`)
			},
			func(*shop) string { return "changed closings 2026-11-20 canonical:" },
		},
		{
			"a closing's list of sales", func(t *testing.T, s *shop) {
				modelstest.CloseDay(t, s.Office, time.Minute)
				s.sql(t, `UPDATE closing_terminals SET amounts[1] = 1 WHERE sale_ids[1] = $1`, s.plain.ID)
			},
			func(*shop) string { return "changed closing_terminals 2026-11-20" },
		},
		{
			"a closing that nobody made", func(t *testing.T, s *shop) {
				s.sql(t, `INSERT INTO closings VALUES ('2026-11-19', now(), now(), 0, 0, 'x', sha256('x'))`)
			},
			func(*shop) string { return "unrecorded closings 2026-11-19" },
		},
		{
			"a role given by SQL", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE users SET role = 'administrator', all_stores = true WHERE name = $1`, s.Manager.Name)
			},
			func(s *shop) string { return "changed users " },
		},
		{
			"a store added to a person", func(t *testing.T, s *shop) {
				other := modelstest.Store(t, s.DB, s.Clock.Now(), "OTRA")
				s.sql(t, `INSERT INTO user_stores SELECT id, $2 FROM users WHERE name = $1`, s.Manager.Name, other.ID)
			},
			func(s *shop) string { return "changed users " },
		},
		{
			"a person who was let in by SQL", func(t *testing.T, s *shop) {
				s.sql(t, `INSERT INTO users (email, name, role, all_stores, password_hash, language, created_at)
					VALUES ('intruso@example.mx', 'Intruso', 'administrator', true, 'x', '', now())`)
			},
			func(*shop) string { return "unrecorded users intruso@example.mx" },
		},
		{
			"a terminal's place in the past", func(t *testing.T, s *shop) {
				other := modelstest.Store(t, s.DB, s.Clock.Now(), "OTRA")
				s.sql(t, `UPDATE assignments SET store_id = $2 WHERE terminal_id = $1`, s.Terminal.ID, other.ID)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed assignments %s place: %s", s.Terminal.SerialNumber, s.Store.Code)
			},
		},
		{
			"a terminal's name", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE terminals SET label = 'Caja 9' WHERE id = $1`, s.Terminal.ID)
			},
			func(s *shop) string { return fmt.Sprintf("changed terminals %s label:", s.Terminal.SerialNumber) },
		},
		{
			"a store's name", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE stores SET name = 'Otra' WHERE id = $1`, s.Store.ID)
			},
			func(s *shop) string { return fmt.Sprintf("changed stores %s name:", s.Store.Code) },
		},
		{
			"a reason's words", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE reasons SET label_es = 'Otra cosa' WHERE code = 'wrongAmount'`)
			},
			func(*shop) string { return "changed reasons wrongAmount label_es: Monto equivocado → Otra cosa" },
		},
		{
			"a version of the rules", func(t *testing.T, s *shop) {
				s.ChangeRules(func(in *rules.Input) { in.ManagersResolve = true })
				s.sql(t, `UPDATE rules SET managers_settle = false WHERE id > 1`)
			},
			func(*shop) string { return "changed rules 2 managers_settle: true → false" },
		},
		{
			"a version of the rules that nobody set", func(t *testing.T, s *shop) {
				s.sql(t, `INSERT INTO rules (set_at, set_by, effective_at, cutoff_minute) VALUES (now(), 'x', now(), 1380)`)
			},
			func(*shop) string { return "unrecorded rules 2" },
		},
		{
			"a key that was revoked", func(t *testing.T, s *shop) {
				k, _, err := s.APIKeys.CreateKey(t.Context(), s.Admin, apikeys.Input{
					Name: "Caja", Scopes: []apikeys.Scope{apikeys.Scopes[0]}, AllStores: true, Pace: apikeys.PaceNormal, Days: 30,
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.APIKeys.RevokeKey(t.Context(), s.Admin, k.ID, k.Version); err != nil {
					t.Fatal(err)
				}
				s.sql(t, `UPDATE api_keys SET revoked_at = NULL, revoked_by = '' WHERE id = $1`, k.ID)
			},
			func(*shop) string { return "changed api_keys Caja revoked_at: true → false" },
		},
		{
			"a result that is gone", func(t *testing.T, s *shop) {
				s.bound(t)
				s.sql(t, `DELETE FROM results WHERE sale_id = $1`, s.plain.ID)
			},
			func(*shop) string { return "missing results 1 :" },
		},
		{
			"what a terminal posted, with its hash", func(t *testing.T, s *shop) {
				s.bound(t)
				s.sql(t, `UPDATE results SET body = '{"amount":"1.00"}', body_hash = encode(sha256('{"amount":"1.00"}'), 'hex') WHERE sale_id = $1`,
					s.plain.ID)
			},
			func(*shop) string { return "changed results 1 body:" },
		},
		{
			"what a terminal posted today", func(t *testing.T, s *shop) {
				s.sql(t, `UPDATE results SET body = '{"amount":"1.00"}' WHERE sale_id = $1`, s.plain.ID)
			},
			func(*shop) string { return "changed results 1 body:" },
		},
		{
			"what binds results", func(t *testing.T, s *shop) {
				s.bound(t)
				s.sql(t, `UPDATE recorded_rows SET lines = replace(lines, '1 ', '2 ')`)
			},
			func(*shop) string { return "changed recorded_rows results 1 lines:" },
		},
		{
			"a row of an import", func(t *testing.T, s *shop) {
				file := modelstest.CSVHeader + modelstest.CSVSale(s.Office, "DE-ARCHIVO")
				d := modelstest.Confirm(t, s.Office, modelstest.Give(t, s.Office, file), false)
				if d.State != "imported" {
					t.Fatalf("the import is %s", d.State)
				}
				s.enrolled(t) // who confirmed it
				if r := s.compared(t); r.State != compare.Intact {
					t.Fatalf("an import differs: %v", lines(r))
				}
				s.sql(t, `UPDATE sales SET amount = 100 WHERE order_id = 'DE-ARCHIVO'`)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed sales %d amount: ", s.FindSale("DE-ARCHIVO").ID)
			},
		},
		{
			"a scope added to a key", func(t *testing.T, s *shop) {
				k, _, err := s.APIKeys.CreateKey(t.Context(), s.Admin, apikeys.Input{
					Name: "Caja", Scopes: []apikeys.Scope{"sales:read"}, AllStores: true, Pace: apikeys.PaceNormal, Days: 30,
				})
				if err != nil {
					t.Fatal(err)
				}
				s.sql(t, `UPDATE api_keys SET scopes = scopes || '{sales:write}' WHERE id = $1`, k.ID)
			},
			func(*shop) string { return "changed api_keys Caja scopes: sales:read → sales:read sales:write" },
		},
		{
			"the stored hash of a key's secret", func(t *testing.T, s *shop) {
				s.key(t, "Caja")
				s.sql(t, `UPDATE api_secrets SET hash = sha256('mine')`)
			},
			func(s *shop) string {
				return fmt.Sprintf("changed api_secrets Caja · %s hash: ", s.text(t, `SELECT prefix FROM api_secrets`))
			},
		},
		{
			"a second secret of a key", func(t *testing.T, s *shop) {
				s.key(t, "Caja")
				s.sql(t, `INSERT INTO api_secrets (key_id, hash, prefix, created_at, created_by, expires_at)
					SELECT key_id, sha256('mine'), prefix, created_at, created_by, expires_at FROM api_secrets`)
			},
			func(*shop) string { return "unrecorded api_secrets Caja · " },
		},
		{
			"a secret that is another key's", func(t *testing.T, s *shop) {
				s.key(t, "Caja")
				s.key(t, "Oficina")
				s.sql(t, `UPDATE api_secrets SET key_id = (SELECT max(id) FROM api_keys) WHERE id = (SELECT min(id) FROM api_secrets)`)
			},
			func(*shop) string { return "changed api_secrets Oficina · " },
		},
		{
			"a secret that is gone", func(t *testing.T, s *shop) {
				s.key(t, "Caja")
				s.sql(t, `DELETE FROM api_secrets`)
			},
			func(*shop) string { return "missing api_secrets Caja · " },
		},
		{
			"the public key of a passkey", func(t *testing.T, s *shop) {
				s.passkey(t, "Teléfono")
				s.sql(t, `UPDATE passkeys SET public_key = '\x00'`)
			},
			func(*shop) string { return "changed passkeys sofia@example.mx · Teléfono public_key: " },
		},
		{
			"a passkey that is another person's", func(t *testing.T, s *shop) {
				s.passkey(t, "Teléfono")
				other := modelstest.User(t, s.DB, s.Clock.Now(), "raul@example.mx", models.Supervisor)
				s.enrolledAlone(t, other)
				s.sql(t, `UPDATE passkeys SET user_id = $1`, other.ID)
			},
			func(*shop) string {
				return "changed passkeys raul@example.mx · Teléfono owner: sofia@example.mx · Teléfono → "
			},
		},
		{
			"a passkey that nobody registered", func(t *testing.T, s *shop) {
				s.sofia(t)
				s.sql(t, `INSERT INTO passkeys (user_id, site, credential_id, handle, public_key, synced, sign_count, name, created_at)
					SELECT id, 'veinte.example', 'mine', sha256('mine'), 'mine', false, 0, 'Mía', now() FROM users ORDER BY id LIMIT 1`)
			},
			func(*shop) string { return "unrecorded passkeys " },
		},
		{
			"a passkey that came back", func(t *testing.T, s *shop) {
				s.passkey(t, "Teléfono")
				s.sql(t, `CREATE TABLE kept AS SELECT * FROM passkeys`)
				s.removePasskey(t)
				if r := s.compared(t); r.State != compare.Intact {
					t.Fatalf("a passkey that was removed differs: %v", lines(r))
				}
				s.sql(t, `INSERT INTO passkeys OVERRIDING SYSTEM VALUE SELECT * FROM kept`)
			},
			func(*shop) string { return "unrecorded passkeys sofia@example.mx · Teléfono" },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			tt.do(t, s)
			r := s.compared(t)
			if want := tt.want(s); r.State != compare.Altered || !slices.ContainsFunc(lines(r), func(l string) bool {
				return strings.HasPrefix(l, want)
			}) {
				t.Errorf("Compare() = %s\n%s\nwant %s", r.State, strings.Join(lines(r), "\n"), want)
			}
		})
	}
}

// TestAComparisonIsStored: what differs is an entry of the trail, an alert that is raised
// once, and shown of the sale as long as it stands.
func TestAComparisonIsStored(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := modelstest.AlertsOf(t, s.Office)
	modelstest.Watch(t, s.Office, a)
	s.sql(t, `UPDATE sales SET amount = 100 WHERE id = $1`, s.sale.ID)
	s.sql(t, `ALTER TABLE alert_rules DROP CONSTRAINT alert_rules_tables_is_told`)
	s.sql(t, `UPDATE alert_rules SET active = false WHERE kind = 'tables'`)
	for _, fresh := range []int64{1, 0} {
		c, _, err := s.Compare.Run(t.Context(), models.System("comparison", ""))
		if err != nil {
			t.Fatalf("Run() = %v", err)
		}
		modelstest.Wants(t, "new differences", c.NewDifferences, fresh)
		last, err := s.Compare.Last(t.Context())
		if err != nil || last.ID != c.ID || last.State != compare.Altered || last.Differences != 1 {
			t.Errorf("Last() = %+v, %v, want %+v", last, err, c)
		}
		modelstest.Watch(t, s.Office, a)
		raised := modelstest.Raised(t, s.Office, a, alerts.KindTables)
		if len(raised) != 1 || raised[0].Read().Row != fmt.Sprint("sales ", s.sale.ID) {
			t.Errorf("alerts = %+v, want one of sale %d", raised, s.sale.ID)
		}
	}
	shown, err := s.Compare.OfSale(t.Context(), s.sale.ID)
	if err != nil || len(shown) != 1 || shown[0].Found != "1.00" {
		t.Errorf("OfSale() = %+v, %v", shown, err)
	}
	_, err = s.DB.SQL().Exec(`UPDATE comparisons SET state = 'intact'`)
	if err == nil {
		t.Error("a stored comparison can be rewritten")
	}
	if list, err := s.Compare.Differences(t.Context(), s.Manager); !modelstest.IsError(err, models.ErrForbidden) {
		t.Errorf("a manager lists %v, %v", list, err)
	}
}
