package results

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
)

// heard records that a terminal posted, and at which address. Of a post at the own
// address of a terminal that is this one, whomever the post names.
func heard(t database.Tx, p *models.Post, now time.Time) error {
	columns, serial := map[string]any{"last_result_at": now}, p.SerialNumber
	switch {
	case p.AddressSerial != "":
		columns["address_key"], columns["shared_posts"], serial = p.AddressKey, 0, p.AddressSerial
	case !p.Forwarded: // else we post it, and the terminal posts elsewhere
		columns["shared_posts"] = gorm.Expr("shared_posts + 1")
	}
	if err := t.Model(&models.Terminal{}).Where("serial_number = ?", serial).Updates(columns).Error; err != nil {
		return fmt.Errorf("record that terminal %s posted: %w", models.Truncate(serial, 40), err)
	}
	return nil
}

// noteOtherTerminal marks a post at the own address of one terminal that names another.
const noteOtherTerminal = "otherTerminal"

// namesAnother reports whether a result came at the own address of a terminal and names
// another one. Whoever has the first address has no say about the second terminal, so
// the result is neither read nor forwarded: a person reviews it.
func namesAnother(r *models.Result) bool { return r.AddressSerial != "" && !r.OwnAddress }

// speaker is the serial number of the terminal that posted a result, as far as is known.
func speaker(r *models.Result) string {
	if r.AddressSerial != "" {
		return r.AddressSerial
	}
	return r.SerialNumber
}
