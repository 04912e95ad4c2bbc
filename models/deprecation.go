package models

import "time"

// The names that programs used until the provider's word came in, such as merchantId for
// its storeId, are deprecated since OldNamesDeprecated. The API and the webhooks carry
// both until OldNamesEnd.
var (
	OldNamesDeprecated = time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC)
	OldNamesEnd        = time.Date(2027, time.November, 23, 0, 0, 0, 0, time.UTC)
)
