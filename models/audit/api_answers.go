package audit

import (
	"time"
)

// RecordRetention is how long a repeat gets the answer of the first.
const RecordRetention = 24 * time.Hour
