package audit

import (
	"time"
)

// RecordRetention is how long a repeated request gets the response of the first one.
const RecordRetention = 24 * time.Hour
