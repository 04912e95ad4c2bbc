package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/sales"
	"veinte/models/terminals"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

// addAddressPages draws where terminals post: the own address of one, and all of them.
func (s Shop) addAddressPages(pages map[string]templ.Component, p ui.Page, place *models.TerminalPlace) {
	pages["terminal-address"] = placesview.TerminalAddress(&placesview.AddressView{
		Page: p, Terminal: place.Terminal, Address: "//veinte.example/results/1234567890/c2FtcGxlLXRva2VuLW9mLW5vLXRlcm1p",
	})
	view := placesview.AddressesView{
		Page: p, HasAddresses: true, Shared: models.SharedAddress{Open: true, Own: true, Until: "2026-12-31"},
		Counts: []terminals.AddressCount{
			{Use: terminals.AddressShared, Terminals: 12, Posts: 340},
			{Use: terminals.AddressOlder, Terminals: 1},
			{Use: terminals.AddressNotYet, Terminals: 7},
			{Use: terminals.AddressOwn, Terminals: 1580},
		},
	}
	without := view
	without.HasAddresses, without.Shared.Own, without.Errors = false, false, ui.Errors{"": "address.noKeys"}
	pages["addresses"], pages["addresses-none"] = placesview.Addresses(&view), placesview.Addresses(&without)
}

// addTerminalPages draws the pages of terminals: one that stands somewhere and is
// to move, and one that is out of use.
func (s Shop) addTerminalPages(pages map[string]templ.Component, p ui.Page, place, loose models.TerminalPlace) {
	since, planned := *place.Since, s.At("23:00:00").Add(9*time.Hour)
	plan := &models.AssignmentLine{StoreName: "Cancún Centro", Assignment: models.Assignment{
		StoreID: 2, MerchantID: "7401922", ValidFrom: planned, PlannedAt: &since,
	}}
	place.Plan = plan
	both := []models.TerminalPlace{place, loose}
	counts := map[terminals.Problem]int64{terminals.ProblemNoStore: 3, terminals.ProblemUnknownSerial: 1}
	pages["terminals"] = placesview.Terminals(&placesview.TerminalsView{
		Page: p, Stores: s.Stores(), Problems: counts, List: terminals.Page{Terminals: both, Count: 1600, Next: "next-page"},
	})
	pages["terminals-refused"] = placesview.Terminals(&placesview.TerminalsView{
		Page: p, Stores: s.Stores(), Filter: terminals.Filter{State: "lost"}, Errors: ui.Errors{"state": "filter.invalid"},
	})
	pages["terminal-new"] = placesview.TerminalNew(&placesview.TerminalNewView{
		Page: p, Stores: s.Stores(),
		Form: placesview.TerminalForm{SerialNumber: "12", Errors: ui.Errors{
			"serialNumber": "serial.invalid", "label": "field.required", "merchantId": "merchantId.invalid", "store": "store.required",
		}},
	})
	history := []models.AssignmentLine{
		*plan,
		{Assignment: models.Assignment{MerchantID: "7401922", ValidFrom: since, ValidTo: &planned}, StoreName: "Roma Norte"},
		{Assignment: models.Assignment{MerchantID: "7401900", ValidFrom: since.AddDate(-1, 0, 0), ValidTo: &since}, StoreName: "Cancún Centro"},
	}
	at := placesview.TerminalAt{Page: p, Terminal: place, Stores: s.Stores(), History: history, Day: *s.terminalDay()}
	shared := terminals.TerminalProblem{
		Kind: terminals.ProblemSharedMerchant, TerminalID: place.ID, SerialNumber: string(place.SerialNumber), MerchantID: "7401922", OtherID: 2,
	}
	one := placesview.TerminalView{
		TerminalAt: at, Address: terminals.AddressShared, HasAddresses: true, Problems: []terminals.TerminalProblem{shared},
	}
	one.Terminal.SharedPosts = 41
	pages["terminal"] = placesview.Terminal(&one)
	moved, going := one, one
	retired := placesview.TerminalView{TerminalAt: placesview.TerminalAt{Page: p, Terminal: loose, Stores: s.Stores()}}
	moved.Moved, moved.Problems, moved.Terminal.Plan, going.Planned = true, nil, nil, true
	pages["terminal-moved"], pages["terminal-planned"] = placesview.Terminal(&moved), placesview.Terminal(&going)
	pages["terminal-retired"] = placesview.Terminal(&retired)
	move := placesview.TerminalMoveView{TerminalAt: at, Form: placesview.MoveForm{MerchantID: "7401922"}}
	pages["terminal-move"] = placesview.TerminalMove(&move)
	refused := move
	refused.Form = placesview.MoveForm{
		StoreID: 2, MerchantID: "7401922", From: "2026-11-20T09:30", Errors: ui.Errors{"from": "move.salesElsewhere"},
		Why: sampleRefusal(since),
	}
	pages["terminal-refused"] = placesview.TerminalMove(&refused)
	pages["terminal-edit"] = placesview.TerminalEdit(&placesview.TerminalEditView{
		Page: p, Terminal: place, Label: placesview.LabelForm{Label: "Caja 1"}, Merchant: placesview.MoveForm{StoreID: 1, MerchantID: "7401922"},
	})

	s.addAddressPages(pages, p, &place)

	moves := placesview.TerminalMovesView{Page: p, Stores: s.Stores(), Terminals: both}
	pages["moves-new"], pages["moves"] = placesview.TerminalMovesNew(&moves), placesview.TerminalMoves(&moves)
	held := moves
	held.Form = placesview.MovesForm{
		StoreID: 2, From: "2026-11-20T09:30", Errors: ui.Errors{"": "moves.refused"},
		Why: map[int64]error{place.ID: sampleRefusal(since), loose.ID: nil},
	}
	pages["moves-refused"] = placesview.TerminalMovesNew(&held)
	pages["moves-none"] = placesview.TerminalMovesNew(&placesview.TerminalMovesView{Page: p, Form: placesview.MovesForm{
		Errors: ui.Errors{"terminals": "moves.none"},
	}})

	health := placesview.TerminalHealthView{Page: p, DaysText: "7", List: terminals.HealthPage{
		Counts: map[terminals.Problem]int64{}, Next: "next-page",
	}}
	for i, kind := range terminals.Problems {
		line := terminals.TerminalProblem{Kind: kind, SerialNumber: "1490001001", Detail: "1490009999", At: &since, MerchantID: "7401922"}
		if i > 1 {
			line.TerminalID, line.Label, line.StoreName, line.OtherID = 1, "Caja 1", "Roma Norte", 2
		}
		health.List.Problems = append(health.List.Problems, line)
		health.List.Counts[kind] = 1
	}
	pages["health"] = placesview.TerminalHealth(&health)
	pages["health-fine"] = placesview.TerminalHealth(&placesview.TerminalHealthView{Page: p, DaysText: "7"})
	pages["health-refused"] = placesview.TerminalHealth(&placesview.TerminalHealthView{
		Page: p, DaysText: "siete", Errors: ui.Errors{"days": "days.invalid"},
	})
}

func sampleRefusal(since time.Time) *terminals.MoveRefusal {
	return &terminals.MoveRefusal{
		Err: &models.Error{Kind: models.KindConflict, Code: "move.salesElsewhere", Field: "from"}, Sales: 3, Since: since,
	}
}

// terminalDay is a day with a sale that was canceled and one in doubt.
func (s Shop) terminalDay() *sales.TerminalDay {
	d := &sales.TerminalDay{
		Total: models.Sums{
			Sales: models.Sum{Count: 14, Amount: 543210}, Canceled: models.Sum{Count: 1, Amount: 31250}, Doubt: models.Sum{Count: 1, Amount: 9850},
		},
		Latest: []models.Sale{
			s.Sale(104, "19:49:12", 9850, models.SaleUnknown), s.Sale(102, "19:33:07", 31250, models.SaleConfirmed),
			s.Sale(100, "19:20:40", 125000, models.SaleCancelable),
		},
	}
	d.Stores = []models.PlaceSums{{StoreID: 1, TerminalID: 1, Sums: d.Total}}
	return d
}
