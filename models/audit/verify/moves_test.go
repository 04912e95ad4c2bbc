package verify_test

import (
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// moveTrail writes the moves of cancellation 7 as the product does.
type moveTrail struct {
	*modelstest.SealedTrail
	db    *database.DB
	begin time.Time
}

func (m *moveTrail) write(t database.Tx, sequence int, from, to string, second int) {
	m.TB.Helper()
	after := map[string]any{"state": to}
	if sequence > 0 {
		after["sequence"] = sequence
	}
	a := audit.About{CancellationID: 7, After: after}
	if from != "" {
		a.Before = map[string]any{"state": from}
	}
	err := audit.Record(t, models.System("test", ""), m.begin.Add(time.Duration(second)*time.Second),
		models.ActionCancellationMoved, models.OutcomeSuccess, a)
	if err != nil {
		m.TB.Fatal(err)
	}
}

// move writes one move in a transaction of its own.
func (m *moveTrail) move(sequence int, from, to string, second int) {
	m.TB.Helper()
	err := m.db.InTx(m.TB.Context(), func(t database.Tx) error {
		m.write(t, sequence, from, to, second)
		return nil
	})
	if err != nil {
		m.TB.Fatal(err)
	}
}

// overtaken writes a move in a transaction that had its number before another one that
// writes a move and commits first.
func (m *moveTrail) overtaken(other func(), sequence int, from, to string, second int) {
	m.TB.Helper()
	err := m.db.InTx(m.TB.Context(), func(t database.Tx) error {
		var xid string
		if err := t.Raw(`SELECT pg_current_xact_id()::text`).Scan(&xid).Error; err != nil {
			return err
		}
		other()
		m.write(t, sequence, from, to, second)
		return nil
	})
	if err != nil {
		m.TB.Fatal(err)
	}
}

// TestMovesThatDoNotFollowOneAnotherAreNamed: in the database as in a file.
func TestMovesThatDoNotFollowOneAnotherAreNamed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact   string
		write  func(m *moveTrail)
		detail string // of the finding; "" for a trail that is intact
		n      int64
	}{
		{"in their order", func(m *moveTrail) {
			m.move(1, "", "requested", 0)
			m.move(2, "requested", "sending", 1)
			m.move(3, "sending", "confirmed", 1)
		}, "", 0},
		{"the second sealed before the first", func(m *moveTrail) {
			m.move(1, "", "requested", 0)
			m.overtaken(func() { m.move(2, "requested", "sending", 1) }, 3, "sending", "confirmed", 2)
		}, "sealed before n 2", 1},
		{"the same of an older release", func(m *moveTrail) {
			m.move(0, "", "requested", 0)
			m.overtaken(func() { m.move(0, "requested", "sending", 1) }, 0, "sending", "confirmed", 2)
		}, "", 0},
		{"one that is not there", func(m *moveTrail) {
			m.move(1, "", "requested", 0)
			m.move(3, "sending", "unknown", 1)
		}, "it is move 3", 1},
		{"one whose time goes back", func(m *moveTrail) {
			m.move(1, "", "requested", 1)
			m.move(2, "requested", "sending", 0)
		}, "its time is before", 1},
		{"one out of another state", func(m *moveTrail) {
			m.move(1, "", "requested", 0)
			m.move(2, "unknown", "notCanceled", 1)
		}, "does not begin in the state", 1},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			m := &moveTrail{SealedTrail: modelstest.NewSealedTrail(t), begin: time.Now().Add(-time.Minute)}
			m.db = m.DB()
			tt.write(m)
			m.All()
			v, err := wiring.Over(m.db).Verify.VerifyTrail(t.Context(), verify.TrailCheck{
				Keys: m.Keys.Verifiers(), Checkpoints: []string{m.Checkpoint()},
			})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.detail == "" && v.State != verify.Intact:
				t.Errorf("VerifyTrail = %s, %+v, want intact", v.State, v.Findings)
			case tt.detail == "":
			case v.State != verify.Altered || v.First == nil:
				t.Errorf("VerifyTrail = %s, want altered", v.State)
			case v.First.Code != verify.FindMove || v.First.N != tt.n || v.First.EntryID != m.IdOf(int(tt.n)) ||
				!strings.Contains(v.First.Detail, tt.detail):
				t.Errorf("VerifyTrail found first %+v, want %s of n %d: %s", *v.First, verify.FindMove, tt.n, tt.detail)
			}
		})
	}
}
