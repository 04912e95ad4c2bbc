package sso

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Roles are those that a group can give, the strongest first. Auditors are invited: their
// access has a last day, which no group says.
var Roles = []models.Role{models.Administrator, models.Supervisor, models.Manager}

// Group is a group of the provider, with what its people may do here.
type Group struct {
	ID        int64
	Name      string // exactly as the provider writes it
	Role      models.Role
	AllStores bool
	StoreIDs  []int64 `gorm:"-"`
	Version   int
	CreatedAt time.Time
}

// TableName is the table of the groups.
func (Group) TableName() string { return "sso_groups" }

// Attributes are what the trail says of a group.
func (g *Group) Attributes() map[string]any {
	return map[string]any{"group": g.Name, "role": g.Role, "allStores": g.AllStores, "stores": g.StoreIDs}
}

// Check completes a group that was entered, and refuses one that gives nothing.
//
// Errors: a field.
func (g *Group) Check() (err error) {
	if g.Name, err = models.Text("name", g.Name, 255); err != nil {
		return err
	}
	if !slices.Contains(Roles, g.Role) {
		return models.Invalid("role", "sso.roleInvalid")
	}
	switch g.Role.Row().Stores {
	case models.StoresAll:
		g.AllStores = true
	case models.StoresSome:
		g.AllStores = false
	}
	slices.Sort(g.StoreIDs)
	g.StoreIDs = slices.Compact(g.StoreIDs)
	if g.AllStores {
		g.StoreIDs = nil
	} else if len(g.StoreIDs) == 0 {
		return models.Invalid("stores", "store.required")
	}
	return nil
}

// Groups lists the groups by name.
func Groups(t database.Tx) ([]Group, error) {
	var all []Group
	if err := t.Order("name").Find(&all).Error; err != nil {
		return nil, fmt.Errorf("read the groups of the single sign-on: %w", err)
	}
	var stores []struct{ GroupID, StoreID int64 }
	if err := t.Raw("SELECT group_id, store_id FROM sso_group_stores ORDER BY store_id").Scan(&stores).Error; err != nil {
		return nil, fmt.Errorf("read the stores of the groups: %w", err)
	}
	for _, s := range stores {
		if i := slices.IndexFunc(all, func(g Group) bool { return g.ID == s.GroupID }); i >= 0 {
			all[i].StoreIDs = append(all[i].StoreIDs, s.StoreID)
		}
	}
	return all, nil
}

// GroupByID returns a group.
//
// Errors: ErrNotFound.
func GroupByID(t database.Tx, id int64) (*Group, error) {
	all, err := Groups(t)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, models.ErrNotFound
}

// Add stores a new group.
//
// Errors: sso.groupTaken, store.unknown.
func Add(t database.Tx, g *Group) error {
	if err := t.Create(g).Error; err != nil {
		return database.Duplicated(err, "name", "sso.groupTaken")
	}
	return setStores(t, g)
}

// Change replaces a group, provided that it is still in the version that was seen.
//
// Errors: ErrStale, sso.groupTaken, store.unknown.
func Change(t database.Tx, g *Group) error {
	columns := map[string]any{"name": g.Name, "role": g.Role, "all_stores": g.AllStores}
	if err := t.Replace(&Group{}, g.ID, g.Version, columns); err != nil {
		return database.Duplicated(err, "name", "sso.groupTaken")
	}
	return setStores(t, g)
}

func setStores(t database.Tx, g *Group) error {
	if err := t.Exec("DELETE FROM sso_group_stores WHERE group_id = ?", g.ID).Error; err != nil {
		return err
	}
	if len(g.StoreIDs) == 0 {
		return nil
	}
	done := t.Exec("INSERT INTO sso_group_stores (group_id, store_id) SELECT ?, id FROM stores WHERE id IN ?", g.ID, g.StoreIDs)
	if done.Error == nil && int(done.RowsAffected) != len(g.StoreIDs) {
		return models.Invalid("stores", "store.unknown")
	}
	return done.Error
}

// Remove removes a group, provided that it is still in the version that was seen.
//
// Errors: ErrStale.
func Remove(t database.Tx, id int64, version int) error {
	if err := t.Exec("DELETE FROM sso_group_stores WHERE group_id = ?", id).Error; err != nil {
		return err
	}
	done := t.Exec("DELETE FROM sso_groups WHERE id = ? AND version = ?", id, version)
	if done.Error == nil && done.RowsAffected != 1 {
		return models.ErrStale
	}
	return done.Error
}

// Grant is what a person's groups give.
type Grant struct {
	Role      models.Role
	AllStores bool
	StoreIDs  []int64
}

// Judge returns what the groups of a person give: the strongest role of all their groups,
// in the stores of all their groups with that role. ok is false when none of them is known
// here.
func Judge(known []Group, names []string) (g Grant, ok bool) {
	known = slices.DeleteFunc(slices.Clone(known), func(k Group) bool { return !slices.Contains(names, k.Name) })
	if len(known) == 0 {
		return Grant{}, false
	}
	g.Role = slices.MinFunc(known, func(a, b Group) int {
		return cmp.Compare(slices.Index(Roles, a.Role), slices.Index(Roles, b.Role))
	}).Role
	for _, k := range known {
		if k.Role == g.Role {
			g.AllStores = g.AllStores || k.AllStores
			g.StoreIDs = append(g.StoreIDs, k.StoreIDs...)
		}
	}
	slices.Sort(g.StoreIDs)
	g.StoreIDs = slices.Compact(g.StoreIDs)
	if g.AllStores {
		g.StoreIDs = nil
	}
	return g, true
}
