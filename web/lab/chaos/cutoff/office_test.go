package cutoff

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

func TestMain(m *testing.M) { modelstest.Main(m) }

// office is what all schedules share: the database, a store in every zone, its
// manager, and a certificate for the service.
type office struct {
	db      *database.DB
	owner   *pgxpool.Pool // the judge's own way into the database
	stores  map[string]int64
	manager models.Actor
	serials atomic.Int64
	tls     *tls.Config
	trust   *tls.Config
}

// openOffice makes a database and fills it.
func openOffice(t *testing.T) *office {
	t.Helper()
	app, owner := modelstest.URLs(t)
	o := &office{db: modelstest.Open(t, app), stores: map[string]int64{}}
	var err error
	if o.owner, err = pgxpool.New(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.owner.Close)
	if err := database.CheckZoneData(t.Context(), o.db); err != nil {
		t.Fatal(err)
	}
	administrator := models.Actor{UserID: 1, Name: "Administrador", Role: models.Administrator, AllStores: true}
	var all []*models.Store
	places := terminals.New(o.db, modelstest.NewClock(firstDay.eve()), nil, nil)
	for i, z := range zones {
		store, err := places.CreateStore(t.Context(), administrator, terminals.StoreInput{
			Code: fmt.Sprintf("Z-%d", i), Name: "Sucursal " + z.name, TimeZone: z.name,
		})
		if err != nil {
			t.Fatal(err)
		}
		o.stores[z.name] = store.ID
		all = append(all, store)
	}
	// Each request reads its person again, so they must be there.
	o.manager = modelstest.User(t, o.db, firstDay.eve(), "encargada@veinte.test", models.Manager, all...).Actor()
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	o.tls, o.trust = &tls.Config{Certificates: certified.TLS.Certificates}, &tls.Config{RootCAs: roots}
	return o
}

// eve is a month before a day: when stores and terminals are set up.
func (d date) eve() time.Time { return time.Unix(int64(d-30)*86400, 0).UTC() }

// terminal writes a terminal of a store into the database, as its page would
// have done long ago, and returns its serial number.
func (o *office) terminal(ctx context.Context, store int64) (string, error) {
	serial := fmt.Sprintf("3%09d", o.serials.Add(1))
	_, err := o.owner.Exec(ctx, `WITH t AS (INSERT INTO terminals (serial_number, label, created_at) VALUES ($1, $1, $4) RETURNING id)
		INSERT INTO assignments (terminal_id, store_id, merchant_id, valid_from) SELECT id, $2, $3, $4 FROM t`,
		serial, store, "M"+serial, firstDay.eve())
	if err != nil {
		return "", fmt.Errorf("write terminal %s: %w", serial, err)
	}
	return serial, nil
}

// orderNumber is an order's number at the service. It does not look like one
// that holds the time of the sale, so the time of its post counts.
func orderNumber(serial string, n int) string {
	return strings.Join([]string{"V", serial, fmt.Sprint(n)}, "-")
}
