package roundtrips_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"veinte/models/modelstest"
	"veinte/models/modelstest/roundtrips"
)

func TestMain(m *testing.M) { modelstest.Main(m) }

// TestTrips: a batch is one round trip, and a transaction around a statement three.
func TestTrips(t *testing.T) {
	t.Parallel()
	c, err := roundtrips.New(modelstest.URL(t))
	must(t, err)
	defer c.Close()
	conn, err := pgx.Connect(t.Context(), c.URL)
	must(t, err)
	defer conn.Close(t.Context())
	one := func() error { return conn.QueryRow(t.Context(), "SELECT 1").Scan(new(int)) }
	for _, tt := range []struct {
		name string
		do   func() error
		want int64
	}{
		{"a statement that the connection does not know", one, 2},
		{"and then knows", one, 1},
		{"a plain statement", func() error { _, err := conn.Exec(t.Context(), "SELECT 1; SELECT 2"); return err }, 1},
		{"a batch", func() error {
			batch := &pgx.Batch{}
			for range 50 {
				batch.Queue("SELECT 1")
			}
			return conn.SendBatch(t.Context(), batch).Close()
		}, 1},
		{"a transaction", func() error { return pgx.BeginFunc(t.Context(), conn, func(pgx.Tx) error { return one() }) }, 3},
		{"an error", func() error {
			if _, err := conn.Exec(t.Context(), "SELECT 1/0"); err == nil {
				t.Error("a division by zero is no error through the counter")
			}
			return nil
		}, 1},
		{"what is large", func() error { return conn.QueryRow(t.Context(), "SELECT repeat('x', 1000000)").Scan(new(string)) }, 2},
		{"nothing", func() error { return nil }, 0},
	} {
		before := c.Trips()
		must(t, tt.do())
		if got := c.Trips() - before; got != tt.want {
			t.Errorf("%s = %d round trips, want %d", tt.name, got, tt.want)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
