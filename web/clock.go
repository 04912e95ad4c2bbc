//go:build !chaos

package web

import "veinte/models"

// servingClock is the clock of `veinte serve`: the real one.
func servingClock() (models.Clock, error) { return models.ShiftedClock(0), nil }
