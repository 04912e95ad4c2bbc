package models

import (
	"time"
)

// Waits are the times after which something is done about silence.
type Waits struct {
	Answer time.Duration // for the service's acknowledgement (CANCEL_TIMEOUT)
	Result time.Duration // for the terminal's result after it (RESULT_WAIT)
	Quiet  time.Duration // after a push, how long the terminal may still act on it (QUIET_TIME)
	// AckMeansCanceled is the merchant's word that an acknowledgement is
	// enough, where no terminal posts results (CANCEL_ACK_MEANS).
	AckMeansCanceled bool
}
