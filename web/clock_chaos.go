//go:build chaos

package web

import (
	"fmt"
	"os"
	"time"

	"veinte/models"
)

// clockVariable sets the clock of a server of the experiments forward, such as
// by 24h: what a terminal posts the next day is then seen by a server of the
// next day, and every row of the day before was written by the program itself.
// The program as it is shipped does not know it.
const clockVariable = "VEINTE_CLOCK_OFFSET"

func servingClock() (models.Clock, error) {
	text := os.Getenv(clockVariable)
	if text == "" {
		return models.ShiftedClock(0), nil
	}
	offset, err := time.ParseDuration(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", clockVariable, err)
	}
	return models.ShiftedClock(offset), nil
}
