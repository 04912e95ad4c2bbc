package views

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
)

// addTerminalPages draws the pages of terminals: one that stands somewhere and is
// to move, and one that is out of use.
func addTerminalPages(pages map[string]templ.Component, p Page, place, loose models.TerminalPlace) {
	since, planned := *place.Since, sampleAt("23:00:00").Add(9*time.Hour)
	plan := &models.AssignmentLine{StoreName: "Cancún Centro", Assignment: models.Assignment{StoreID: 2, MerchantID: "7401922", ValidFrom: planned, PlannedAt: &since}}
	place.Plan = plan
	both := []models.TerminalPlace{place, loose}
	counts := map[models.Problem]int64{models.ProblemNoStore: 3, models.ProblemUnknownSerial: 1}
	pages["terminals"] = Terminals(&TerminalsView{Page: p, Stores: sampleStores(), Problems: counts, List: models.TerminalPage{Terminals: both, Count: 1600, Next: "next-page"}})
	pages["terminals-first"] = Terminals(&TerminalsView{Page: p, Stores: sampleStores(), Problems: counts, List: models.TerminalPage{Terminals: both, Count: 5}, First: &FirstSteps{Begun: &models.Beginnings{
		Stores: 2, Terminals: 5, People: 4, Test: models.ConnectionTest{At: sampleAt("18:02:00"), Steps: []models.ProbeStep{{Step: "dns", OK: true}}},
	}}})
	pages["terminals-first-none"] = Terminals(&TerminalsView{Page: p, First: &FirstSteps{Begun: &models.Beginnings{People: 1}}})
	pages["terminals-refused"] = Terminals(&TerminalsView{Page: p, Stores: sampleStores(), Filter: models.TerminalFilter{State: "lost"}, Errors: Errors{"state": "filter.invalid"}})
	pages["terminal-new"] = TerminalNew(&TerminalNewView{Page: p, Stores: sampleStores(), Form: TerminalForm{SerialNumber: "12", Errors: Errors{"serialNumber": "serial.invalid", "label": "field.required", "merchantId": "merchantId.invalid", "store": "store.required"}}})
	history := []models.AssignmentLine{
		*plan,
		{Assignment: models.Assignment{MerchantID: "7401922", ValidFrom: since, ValidTo: &planned}, StoreName: "Roma Norte"},
		{Assignment: models.Assignment{MerchantID: "7401900", ValidFrom: since.AddDate(-1, 0, 0), ValidTo: &since}, StoreName: "Cancún Centro"},
	}
	one := TerminalView{
		Page: p, Terminal: place, Stores: sampleStores(), History: history,
		Label: LabelForm{Label: "Caja 1"}, Move: MoveForm{StoreID: 1, MerchantID: "7401922"},
	}
	pages["terminal"] = Terminal(&one)
	refused := one
	refused.Move = MoveForm{StoreID: 2, MerchantID: "7401922", From: "2026-11-20T09:30", Errors: Errors{"from": "move.salesElsewhere"}, Why: sampleRefusal(since)}
	pages["terminal-refused"] = Terminal(&refused)

	moves := TerminalMovesView{Page: p, Stores: sampleStores(), Terminals: both}
	pages["moves-new"], pages["moves"] = TerminalMovesNew(&moves), TerminalMoves(&moves)
	held := moves
	held.Form = MovesForm{
		StoreID: 2, From: "2026-11-20T09:30", Errors: Errors{"": "moves.refused"},
		Why: map[int64]error{place.ID: sampleRefusal(since), loose.ID: nil},
	}
	pages["moves-refused"] = TerminalMovesNew(&held)
	pages["moves-none"] = TerminalMovesNew(&TerminalMovesView{Page: p, Form: MovesForm{Errors: Errors{"terminals": "moves.none"}}})

	health := TerminalHealthView{Page: p, DaysText: "7", List: models.HealthPage{Counts: map[models.Problem]int64{}, Next: "next-page"}}
	for i, kind := range models.Problems {
		line := models.TerminalProblem{Kind: kind, SerialNumber: "1490001001", Detail: "1490009999", At: &since, MerchantID: "7401922"}
		if i > 1 {
			line.TerminalID, line.Label, line.StoreName, line.OtherID = 1, "Caja 1", "Roma Norte", 2
		}
		health.List.Problems = append(health.List.Problems, line)
		health.List.Counts[kind] = 1
	}
	pages["health"] = TerminalHealth(&health)
	pages["health-fine"] = TerminalHealth(&TerminalHealthView{Page: p, DaysText: "7"})
	pages["health-refused"] = TerminalHealth(&TerminalHealthView{Page: p, DaysText: "siete", Errors: Errors{"days": "days.invalid"}})
}

func sampleRefusal(since time.Time) *models.MoveRefusal {
	return &models.MoveRefusal{Err: &models.Error{Kind: models.KindConflict, Code: "move.salesElsewhere", Field: "from"}, Sales: 3, Since: since}
}
