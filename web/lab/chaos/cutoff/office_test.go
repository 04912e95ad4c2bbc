package cutoff

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"veinte/migrations"
	"veinte/models"
	"veinte/models/localpg"
)

// appRole is the restricted role that the parts use, as in production.
const appRole = "veinte_app"

// office is what all schedules share: the database, a store in every zone, its
// manager, and a certificate for the service.
type office struct {
	pg      *localpg.Server
	db      *models.DB
	owner   *pgxpool.Pool // the judge's own way into the database
	stores  map[string]int64
	manager models.Actor
	serials atomic.Int64
	tls     *tls.Config
	trust   *tls.Config
}

var administrator = models.Actor{UserID: 1, Name: "Administrador", Role: models.Administrator, AllStores: true}

// openOffice starts a private PostgreSQL and fills it.
func openOffice(ctx context.Context) (_ *office, err error) {
	o := &office{stores: map[string]int64{}}
	if o.pg, err = localpg.StartTemporary(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.close())
		}
	}()
	if o.owner, err = pgxpool.New(ctx, o.pg.DSN("postgres", "postgres")); err != nil {
		return nil, err
	}
	if err := o.migrate(ctx); err != nil {
		return nil, err
	}
	o.db, err = models.Open(ctx, models.DBConfig{URL: o.pg.DSN("postgres", appRole), Application: "veinte chaos", MaxConns: 20})
	if err != nil {
		return nil, err
	}
	if err := models.CheckZoneData(ctx, o.db); err != nil {
		return nil, err
	}
	o.manager = models.Actor{UserID: 2, Name: "Encargada", Role: models.Manager}
	for i, z := range zones {
		store, err := o.db.CreateStore(ctx, administrator, firstDay.eve(), models.StoreInput{
			Code: fmt.Sprintf("Z-%d", i), Name: "Sucursal " + z.name, TimeZone: z.name,
		})
		if err != nil {
			return nil, err
		}
		o.stores[z.name] = store.ID
		o.manager.StoreIDs = append(o.manager.StoreIDs, store.ID)
	}
	return o, o.certify()
}

func (o *office) migrate(ctx context.Context) error {
	if _, err := o.owner.Exec(ctx, "CREATE ROLE "+appRole+" LOGIN"); err != nil {
		return fmt.Errorf("create role: %w", err)
	}
	db, err := sql.Open("pgx", o.pg.DSN("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = migrations.Up(ctx, db, appRole)
	return err
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

// certify makes the service's certificate, and the trust in it.
func (o *office) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return fmt.Errorf("read certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	o.tls = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	o.trust = &tls.Config{RootCAs: roots}
	return nil
}

// close stops everything that openOffice started.
func (o *office) close() error {
	if o.db != nil {
		o.db.Close()
	}
	if o.owner != nil {
		o.owner.Close()
	}
	return o.pg.Stop(context.Background())
}

// orderNumber is an order's number at the service. It does not look like one
// that holds the time of the sale, so the time of its post counts.
func orderNumber(serial string, n int) string {
	return strings.Join([]string{"V", serial, fmt.Sprint(n)}, "-")
}
