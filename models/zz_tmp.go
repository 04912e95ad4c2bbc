package models

import "veinte/models/table"

// Until the imports land.
var (
	MostImportBytes   = table.DefaultLimits.Bytes
	ErrImportTooLarge = table.ErrTooLarge
)
