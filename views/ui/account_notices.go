package ui

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// NoticeTitle says in a line what happened to somebody's account.
func NoticeTitle(ctx context.Context, n *models.AccountNotice) string {
	return locale.T(ctx, "accountNotice."+string(n.Kind), "Name", n.OfName)
}

// NoticeWhere says when it was, and from where or who did it.
func NoticeWhere(ctx context.Context, n *models.AccountNotice, zone *time.Location) string {
	when := DateTime(ctx, n.At, zone)
	switch {
	case n.ByName != "":
		return locale.T(ctx, "accountNotice.by", "When", when, "Name", n.ByName)
	case n.Address != "":
		return locale.T(ctx, "accountNotice.from", "When", when, "Agent", AgentWord(ctx, Agent(n.UserAgent)), "Address", n.Address)
	}
	return locale.T(ctx, "accountNotice.server", "When", when)
}

// NoticeNext says what to do if it was not they.
func NoticeNext(ctx context.Context, n *models.AccountNotice) string {
	return locale.T(ctx, "accountNoticeNext."+string(n.Kind))
}
