package accounts_test

import (
	"testing"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/modelstest"
)

// A person can be given each role, with the stores that its row allows.
func TestEachRoleCanBeGiven(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, role := range models.Roles {
		row := role.Row()
		for _, all := range []bool{true, false} {
			in := accounts.Input{
				Email: string(role) + "@example.mx", Name: string(role), Role: role, AllStores: all,
				StoreIDs: []int64{o.Store.ID}, Password: modelstest.Password,
			}
			if all {
				in.Email = "all-" + in.Email
			}
			if row.MustEnd {
				in.AccessUntil = "2026-12-31"
			}
			u, _, err := o.Accounts.Invite(t.Context(), o.Admin, in)
			if err != nil {
				t.Errorf("CreateUser(%s) = %v", role, err)
				continue
			}
			want := all && row.Stores != models.StoresSome || row.Stores == models.StoresAll
			if stored, err := o.Accounts.User(t.Context(), o.Admin, u.ID); err != nil || stored.Role != role || stored.AllStores != want {
				t.Errorf("%s, all stores %t, is stored as %+v, %v, want all stores %t", role, all, stored, err, want)
			}
		}
	}
}
