//go:build !chaos

package main

import "veinte/models"

// servingClock is the clock of `veinte serve`: the real one.
func servingClock() (models.Clock, error) { return models.ShiftedClock(0), nil }
