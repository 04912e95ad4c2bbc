package accounts

import (
	"slices"

	"veinte/models"
)

// errOwnRights: nobody changes their own role, stores or end of access. What somebody may
// do is always the word of somebody else.
var errOwnRights = &models.Error{Kind: models.KindConflict, Code: "user.ownRights"}

// sameRights reports whether the input, which has been checked, leaves a user the role,
// the stores and the end of access that they have.
func (in Input) sameRights(u *models.User) bool {
	until := ""
	if u.AccessUntil != nil {
		until = string(*u.AccessUntil)
	}
	return in.Role == u.Role && in.AllStores == u.AllStores && slices.Equal(in.StoreIDs, u.StoreIDs) && in.AccessUntil == until
}
