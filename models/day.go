package models

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Scan reads a date column.
func (d *Day) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*d = Day(v.Format(time.DateOnly))
	case string:
		*d = Day(v)
	default:
		return fmt.Errorf("scan day: unexpected %T", src)
	}
	return nil
}

// Value writes a date column.
func (d Day) Value() (driver.Value, error) { return string(d), nil }
