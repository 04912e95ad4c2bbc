package samples

import (
	"math"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/oversight"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

func (s Shop) Oversight(by oversight.By) *oversightview.OversightView {
	few := oversight.Judgement{Few: true, Others: 1}
	row := func(key, name string, canceled int64, weeks int, own, peers oversight.Judgement, rank float64) oversight.Row {
		return oversight.Row{
			Key: key, ID: 1, Name: name, Own: own, Peers: peers, Rank: rank,
			CancellationTally: oversight.CancellationTally{
				Requested: canceled + 6, Canceled: canceled, Amount: models.Money(canceled * 31250), InDoubt: 1, Rejected: 2, NotCanceled: 1,
				UnderWay: 1, Dropped: 1,
			},
			Against: oversight.SalesTally{Sales: 1410, Amount: 51230000},
			Line:    []float64{-1, .002, .004, .003, .002, .005, .004, .003, .0106},
			Usual: oversight.Usual{
				Weeks: weeks, Canceled: int64(weeks) * 4, Amount: 900000, Against: oversight.SalesTally{Sales: 3264, Amount: 99000000},
			},
		}
	}
	rows := map[oversight.By][]oversight.Row{
		oversight.ByPerson: {
			row("u7", "Ana Torres Luna", 15, 8, sampleJudgement(3.1, 1.6, 3), sampleJudgement(5, 2.2, 3), 2.2),
			row("u9", "Beto Ruiz", 12, 8, sampleJudgement(math.Inf(1), 1.2, 0), sampleJudgement(math.Inf(1), 1.1, 2), 1.2),
			row("u8", "Carla Díaz", 4, 6, sampleJudgement(1.1, 0.4, 3), sampleJudgement(0.6, 0.1, 3), 0),
			row("k2", "Punto de venta", 3, 3, sampleJudgement(math.Inf(1), 0.4, 0), few, 0),
			row("", "", 1, 0, few, few, 0),
		},
		oversight.ByReason:   {row("chargedTwice", "", 9, 8, sampleJudgement(2.4, 1.3, 0), few, 1.3)},
		oversight.ByTerminal: {row("1", "", 9, 8, sampleJudgement(1.4, 0.7, 3), sampleJudgement(2.3, 1.2, 3), 1.2)},
		oversight.ByStore:    {row("1", "", 9, 8, sampleJudgement(1.4, 0.7, 3), sampleJudgement(1.3, 0.9, 5), 0)},
	}
	rows[oversight.ByTerminal][0].StoreID = 1
	v := &oversightview.OversightView{
		Page: s.Page(models.Supervisor, "/oversight", "19:20:03"), Stores: s.Stores(), Terminals: s.Terminals(), Reasons: s.reasons(),
		Report: &oversight.Report{
			Filter: oversight.Filter{From: "2026-10-24", To: "2026-11-20", By: by, Minutes: 15, Times: 3, Days: 7},
			Rows:   rows[by], Total: row("", "", 35, 8, sampleJudgement(1.2, 0.9, 0), few, 0),
		},
	}
	for i := range 9 {
		v.Report.Weeks = append(v.Report.Weeks, oversight.Week{
			From: models.Day("2026-10-" + ui.Itoa(int64(10+i))), To: models.Day("2026-10-" + ui.Itoa(int64(16+i))),
			CancellationTally: oversight.CancellationTally{Canceled: int64(i * i), Amount: models.Money(i * i * 31250)},
			Against:           oversight.SalesTally{Sales: int64(900 * min(i, 1)), Amount: models.Money(28125000 * min(i, 1))},
		})
	}
	v.Report.Most = oversight.Most{
		All: 7,
		People: []oversight.Count{
			{Key: "u7", Name: "Ana Torres Luna", Canceled: 15, Amount: 468750, Reasons: []oversight.Count{
				{Key: "chargedTwice", Canceled: 9, Amount: 281250}, {Key: "wrongAmount", Canceled: 6, Amount: 187500},
			}},
			{Key: "u9", Name: "Beto Ruiz", Canceled: 12, Amount: 375000, Reasons: []oversight.Count{
				{Key: "customerRequest", Canceled: 12, Amount: 375000},
			}},
			{Canceled: 1, Amount: 31250, Reasons: []oversight.Count{{Canceled: 1, Amount: 31250}}},
		},
		Reasons: []oversight.Count{
			{Key: "customerRequest", Canceled: 12, Amount: 375000},
			{Key: "chargedTwice", Canceled: 9, Amount: 281250},
			{Key: "wrongAmount", Canceled: 6, Amount: 187500},
			{Canceled: 1, Amount: 31250},
		},
	}
	v.Filter = v.Report.Filter
	return v
}

// newShop is the report of somebody who has just begun: there is no week before to
// compare with.
func (s Shop) newShop() *oversightview.OversightView {
	v := s.Oversight(oversight.ByPerson)
	v.Report.Total.Usual, v.Report.Total.Own = oversight.Usual{}, oversight.Judgement{Few: true}
	return v
}

func (s Shop) Patterns(kind oversight.FindingKind) *oversightview.PatternsView {
	cases := func(n int) []oversight.Cancellation {
		var all []oversight.Cancellation
		for i := range n {
			all = append(all, oversight.Cancellation{
				ID: int64(i + 1), SaleID: int64(100 + i), OrderID: "261120181203-1234567890", StoreID: 1, TerminalID: 1, Requester: "u7",
				Name:   "Ana Torres Luna",
				Source: models.SourceTerminal, Reason: "chargedTwice", State: models.Confirmed, Amount: 31250, Last4: "4242",
				CardBrand: []string{"VISA", ""}[i%2],
				SoldAt:    s.At("18:00:00"), RequestedAt: s.At("19:50:00"),
			})
		}
		return all
	}
	looked := []oversight.OversightMark{
		{
			ID: 1, Marker: "Sofía Méndez", MarkerID: 8, MarkedAt: s.At("10:02:00"),
			Note: "Hablé con Ana: práctica de la caja nueva, está en orden.", Cancellations: 12,
		},
		{ID: 2, MarkedAt: s.At("11:02:00")},
	}
	late := oversight.LateShare{
		Late: 6, All: 12, UsuallyLate: 8, UsualAll: 128, Comparison: sampleJudgement(8, 2.4, 0).Comparison,
	}
	report := s.Oversight(oversight.ByPerson).Report
	entry := oversight.Cancellation{
		ID: 9, Name: "nadie@veinte.test", Action: models.ActionLogin, Outcome: models.OutcomeFailure, Reason: "login.wrong",
		RequestedAt: s.At("09:00:00"),
	}
	v := &oversightview.PatternsView{
		Page: s.Page(models.Supervisor, "/oversight/patterns", "19:20:03"), Stores: s.Stores(), Terminals: s.Terminals(), Reasons: s.reasons(),
		Found: &oversight.Findings{
			Filter: oversight.Filter{From: "2026-10-24", To: "2026-11-20", By: oversight.ByPerson, Kind: kind, Minutes: 15, Times: 3, Days: 7},
			List: []oversight.Finding{
				{
					Kind: oversight.FindPerson, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cancellations: cases(15), Outlier: true,
					Row: &report.Rows[0], New: 15,
				},
				{
					Kind: oversight.FindApprover, Subject: "u8", Name: "Sofía Méndez", ID: 8, Cancellations: cases(15), Outlier: true,
					Row: &report.Rows[1], New: 3, Marks: looked,
				},
				{Kind: oversight.FindLate, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cancellations: cases(6), Outlier: true, New: 6, Late: late},
				{Kind: oversight.FindCard, Subject: "4242 VISA", Name: "4242 VISA", Cancellations: cases(3), Outlier: true, Chance: 0.0004, New: 3},
				{Kind: oversight.FindOwn, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cancellations: cases(3), Outlier: true, New: 3},
				{Kind: oversight.FindQuick, Subject: "u7", Name: "Ana Torres Luna", ID: 7, Cancellations: cases(1), New: 1},
				{Kind: oversight.FindLarge, Subject: "s1", ID: 1, Cancellations: cases(1), Outlier: true, Usual: 25000, Marks: looked[:1]},
				{
					Kind: oversight.FindRefusals, Subject: "nadie@veinte.test", Name: "nadie@veinte.test",
					Cancellations: []oversight.Cancellation{entry}, Outlier: true, New: 1,
				},
				{Kind: oversight.FindLate, Subject: "u9", Name: "Beto Ruiz", ID: 9, Cancellations: cases(1), Few: true, New: 1},
			},
			New:     map[oversight.FindingKind]int{oversight.FindPerson: 1, oversight.FindCard: 1},
			Late:    oversight.LateShare{Late: 7, All: 60, UsuallyLate: 8, UsualAll: 128},
			Repeats: 5, Truncated: true,
		},
	}
	v.Filter = v.Found.Filter
	return v
}

func (s Shop) Finding(n int, role models.Role) *oversightview.FindingView {
	v := &oversightview.FindingView{PatternsView: *s.Patterns(oversight.FindingKinds[0])}
	v.Page = s.Page(role, "/oversight/finding?kind=person&subject=u7", "19:20:03")
	v.Actor.UserID = 12 // somebody else than those of whom it tells
	v.Finding = v.Found.List[n]
	return v
}

func (s Shop) addOversightPages(pages map[string]templ.Component) {
	for _, by := range oversight.Bys {
		pages["oversight-"+string(by)] = oversightview.OversightReport(s.Oversight(by))
	}
	pages["oversight-new"] = oversightview.OversightReport(s.newShop())
	wrong := s.Oversight(oversight.ByPerson)
	wrong.Report, wrong.Errors = nil, ui.Errors{"to": "oversight.reversed"}
	pages["oversight-wrong"] = oversightview.OversightReport(wrong)
	pages["patterns"] = oversightview.Patterns(s.Patterns(""))
	for _, kind := range oversight.FindingKinds {
		pages["patterns-"+string(kind)] = oversightview.Patterns(s.Patterns(kind))
	}
	none := s.Patterns("")
	none.Found.List = nil
	pages["patterns-none"] = oversightview.Patterns(none)
	for n, name := range []string{"person", "approver", "late", "card", "own", "quick", "large", "refusals"} {
		pages["finding-"+name] = oversightview.Finding(s.Finding(n, models.Supervisor))
	}
	pages["finding-read-only"] = oversightview.Finding(s.Finding(1, models.Administrator))
	refused := s.Finding(1, models.Supervisor)
	refused.Note, refused.Errors = "", ui.Errors{"note": "field.required"}
	pages["finding-refused"] = oversightview.Finding(refused)
}

func sampleJudgement(times, least float64, others int) oversight.Judgement {
	j := oversight.Judgement{Others: others}
	j.Times, j.AtLeast = times, least
	return j
}
