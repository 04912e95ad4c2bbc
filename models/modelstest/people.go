package modelstest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
	"veinte/models/terminals"
)

// people numbers persons, so that no two have the same id or address.
var people atomic.Int64

// Person returns an actor of the role who sees the stores; with none, all. It has no
// row in the database until an office first reads it again, see Office.current.
func Person(role models.Role, stores ...*models.Store) models.Actor {
	a := models.Actor{
		UserID: 1000 + people.Add(1), Name: "Persona de prueba (" + string(role) + ")", Role: role,
		AllStores: len(stores) == 0, Address: "192.0.2.1", UserAgent: "test", RequestID: "r1",
	}
	for _, s := range stores {
		a.StoreIDs = append(a.StoreIDs, s.ID)
	}
	return a
}

// Password is what sample users sign in with.
const Password = "una clave de prueba"

// User adds a person who can sign in with Password; with no stores, they see all. It
// takes as long as hashing a password does.
func User(tb testing.TB, db *database.DB, now time.Time, email string, role models.Role, stores ...*models.Store) *models.User {
	tb.Helper()
	in := accounts.Input{Email: email, Name: "Usuario " + email, Role: role, AllStores: len(stores) == 0, Password: Password}
	if role.Row().MustEnd {
		in.AccessUntil = string(models.AccessDay(now.AddDate(0, 1, 0)))
	}
	for _, s := range stores {
		in.StoreIDs = append(in.StoreIDs, s.ID)
	}
	u, err := accounts.New(db, NewClock(now), nil).CreateUser(context.Background(), models.System("test", ""), in)
	if err != nil {
		tb.Fatalf("create user %s: %v", email, err)
	}
	return u
}

// Store adds a store in Mexico City's zone.
func Store(tb testing.TB, db *database.DB, now time.Time, code string) *models.Store {
	tb.Helper()
	s, err := terminals.New(db, NewClock(now), nil, nil).CreateStore(context.Background(), Person(models.Administrator),
		terminals.StoreInput{Code: code, Name: "Sucursal " + code, TimeZone: "America/Mexico_City"})
	if err != nil {
		tb.Fatalf("create store %s: %v", code, err)
	}
	return s
}
