package modelstest

import (
	"fmt"
	"sync"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/apikeys"
	"veinte/models/database"
	"veinte/models/wiring"
)

// current reads again who acts, as the product does. Whom a test made up gets a row first.
func (o *Office) current(t database.Tx, actor models.Actor) (models.Actor, error) {
	if actor.UserID != 0 {
		o.enrol(actor)
	}
	if actor.Program() {
		return apikeys.New(o.DB, o.Clock).Current(t, actor)
	}
	return accounts.New(o.DB, o.Clock, nil).Current(t, actor)
}

// Trusting has an office believe what a test says of an actor: for what no row can say.
func Trusting(c *wiring.Config) {
	c.Actor = func(_ database.Tx, actor models.Actor) (models.Actor, error) { return actor, nil }
}

// enrol adds the rows of a person or a program that a test made up, unless they are there.
// No letter reaches the address.
func (o *Office) enrol(a models.Actor) {
	o.tb.Helper()
	once, _ := o.enrolled.LoadOrStore(a.UserID, &sync.Once{}) // who acts at once waits for the row too
	once.(*sync.Once).Do(func() { o.addRows(a) })
}

func (o *Office) addRows(a models.Actor) {
	o.tb.Helper()
	table, rows := "users", `INSERT INTO users (id, email, name, role, all_stores, password_hash, language, created_at, access_until)
		OVERRIDING SYSTEM VALUE VALUES ($1, $1::bigint || chr(7) || '@veinte.test', $2, $3, $4 AND $3 <> 'manager', 'none', '', now(),
			CASE WHEN $3 = 'auditor' THEN DATE '2027-01-31' END) ON CONFLICT DO NOTHING`
	args := []any{a.UserID, a.Name, string(a.Role), a.AllStores}
	if a.Program() {
		table, rows = "api_keys", `INSERT INTO api_keys (id, name, scopes, all_stores, per_minute, created_at, created_by)
			OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, 600, now(), 'a test') ON CONFLICT DO NOTHING`
		args[2] = scopesOf(a)
	}
	done, err := o.Owner.Exec(rows, args...)
	if err != nil {
		o.tb.Errorf("enrol %s %d in %s: %v", a.Role, a.UserID, table, err)
		return
	}
	if n, _ := done.RowsAffected(); n == 0 {
		return // it was there, with its stores
	}
	stores := map[string]string{
		"users":    `INSERT INTO user_stores (user_id, store_id) SELECT $1, id FROM stores WHERE id = ANY($2)`,
		"api_keys": `INSERT INTO api_key_stores (key_id, store_id) SELECT $1, id FROM stores WHERE id = ANY($2)`,
	}
	if _, err := o.Owner.Exec(stores[table], a.UserID, a.StoreIDs); err != nil {
		o.tb.Errorf("enrol %s: %v", fmt.Sprint(a.UserID), err)
	}
}

// scopesOf are the scopes of a key with a program's permissions.
func scopesOf(a models.Actor) (scopes []string) {
	for _, s := range apikeys.Scopes {
		if a.May(s.Permission()) {
			scopes = append(scopes, string(s))
		}
	}
	return scopes
}
