// Package oversight handles the supervisors' pages: the inbox of reviews, figures
// and findings, closings of days, alerts and their rules.
package oversight

import (
	"veinte/handlers/kit"
	"veinte/models/alerts"
	"veinte/models/closings"
	"veinte/models/oversight"
	"veinte/models/review"
	"veinte/models/rules"
)

// Handlers handle the pages of this area.
type Handlers struct {
	*kit.Kit
	Alerts    *alerts.Service
	Review    *review.Service
	Closings  *closings.Service
	Oversight *oversight.Service
	Rules     *rules.Service
}
