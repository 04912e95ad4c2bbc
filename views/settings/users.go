package settings

import (
	"veinte/models"
	"veinte/views/ui"
)

// UsersView is the list of people.
type UsersView struct {
	ui.Page
	Users  []models.User
	Stores []models.Store // to name the scope of each
}

// UserFormView is the form of a person: a new one at GET /users/new, a known
// one at GET /users/:id.
type UserFormView struct {
	ui.Page
	ID       int64 // 0 for a new person
	Disabled bool
	Stores   []models.Store
	Form     UserForm
	Password PasswordForm // of a known person
}

// UserForm is what was entered of a person.
type UserForm struct {
	Email     string
	Name      string
	Role      models.Role
	AllStores bool
	StoreIDs  []int64
	Until     string // the last day of their access, as typed
	Version   int
	Errors    ui.Errors // email, name, role, accessUntil, stores, password
}

// PasswordForm gives a person another password. What was typed is never sent back.
type PasswordForm struct {
	Errors ui.Errors
}

// self reports whether the reader looks at themselves: nobody locks themselves out.
func (v *UserFormView) self() bool { return v.ID != 0 && v.ID == v.Actor.UserID }
