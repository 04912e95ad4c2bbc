package gallery

import (
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/samples"
)

// own are the pages of what is somebody's own.
func own(g samples.Shop) []Shown {
	provider := g.NoFactors()
	provider.OwnFactors = &entrance.OwnFactors{}
	return []Shown{
		{"factors", entranceview.Factors(g.Factors())},
		{"factors-none", entranceview.Factors(g.NoFactors())},
		{"factors-refused", entranceview.Factors(g.FactorsRefused())},
		{"factors-of-provider", entranceview.Factors(provider)},
		{"factors-pin", entranceview.Factors(g.FactorsPIN())},
		{"account-counters", entranceview.Account(g.AccountCounters())},
		{"counter", entranceview.Counter(g.Counter())},
		{"counter-rested", entranceview.Counter(g.CounterRested())},
		{"counter-wrong", entranceview.Counter(g.CounterWrong())},
	}
}
