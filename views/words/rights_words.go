package words

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/views/locale"
	"veinte/views/ui"
)

// ProposalOf finds what waits of a subject; nil for nothing.
func ProposalOf(all []proposals.Proposal, of proposals.Subject) *proposals.Proposal {
	for i := range all {
		if all[i].Subject() == of {
			return &all[i]
		}
	}
	return nil
}

// Proposal is what waits for another administrator, for the reader of the page. The answer
// goes to a page of who or what gets the rights, of which they see a version.
func Proposal(ctx context.Context, page ui.Page, p *proposals.Proposal, to string, version int, stores []models.Store) *ui.ProposalView {
	return &ui.ProposalView{
		ID: ui.Itoa(p.ID), To: to, Version: version, Own: p.AskedBy == page.Actor.UserID,
		Has: Rights(ctx, &p.Before, stores), Gets: Rights(ctx, &p.After, stores),
		By:      locale.T(ctx, "proposal.byWhom", "Name", p.AskedByName, "When", ui.DateTime(ctx, p.AskedAt, page.Zone())),
		Expires: ui.DateTime(ctx, p.ExpiresAt, page.Zone()),
	}
}

// Rights says what somebody, or a key, may do, where and until when.
func Rights(ctx context.Context, r *models.Rights, stores []models.Store) string {
	if r.Disabled {
		return locale.T(ctx, "proposal.noAccess")
	}
	var says []string
	if r.Role != "" {
		says = append(says, ui.RoleWord(ctx, r.Role))
	}
	for _, s := range r.Scopes {
		if r.Withheld && s == models.CancelScope {
			continue
		}
		says = append(says, locale.T(ctx, "scope."+s))
	}
	if len(says) == 0 {
		return locale.T(ctx, "proposal.nothing")
	}
	says = append(says, StoreCodes(ctx, &models.User{AllStores: r.AllStores, StoreIDs: r.Stores}, stores))
	if r.AccessUntil != nil {
		says = append(says, locale.T(ctx, "user.until", "Day", ui.Day(ctx, *r.AccessUntil)))
	}
	return strings.Join(says, " · ")
}
