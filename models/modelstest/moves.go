package modelstest

import (
	"testing"

	"veinte/models"
	"veinte/models/terminals"
)

const SalesToday = models.Day("2026-11-20")

func From(address string) models.Actor {
	return models.Actor{Address: address, UserAgent: "test", RequestID: "r"}
}

// MoveTo moves the office's terminal; its merchant id does not change.
func MoveTo(tb testing.TB, o *Office, version int, to *models.Store, from string) error {
	return o.Terminals.MoveTerminal(tb.Context(), o.Admin, o.Terminal.ID, version, terminals.MoveInput{
		StoreID: to.ID, MerchantID: "M" + string(o.Terminal.SerialNumber), From: from,
	})
}
