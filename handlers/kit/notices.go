package kit

import (
	"fmt"

	"veinte/models/operations"
)

// NoticesKey stands for the notices in the tag of a polled list.
func NoticesKey(n operations.Notices) string {
	key := fmt.Sprint(n.Outage, n.Ahead, n.Endpoints)
	if n.Pause != nil {
		key += fmt.Sprint(" pause ", n.Pause.ID)
	}
	if n.Unanswered != nil {
		key += fmt.Sprint(" unanswered ", n.Unanswered.Since.Unix())
	}
	if n.Sealing != nil { // since when changes with the clock, and the tag does every minute
		key += fmt.Sprint(" sealing ", n.Sealing.Code, n.Sealing.Sealed, n.Sealing.Seen)
	}
	return key
}
