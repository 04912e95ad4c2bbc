package export

import (
	"encoding/csv"
	"io"

	"veinte/models/terminals"
)

// addressColumns are the columns of the addresses, named as in the import of terminals.
var addressColumns = []string{"serialNumber", "label", "store", "storeName", "address"}

// Addresses writes the own address of each terminal as CSV: with a byte order mark,
// and with cells that a spreadsheet would reckon behind a '. base is the address of
// the server.
func Addresses(w io.Writer, base string, lines []terminals.AddressLine) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(addressColumns); err != nil {
		return err
	}
	for _, l := range lines {
		err := out.Write(defused([]string{string(l.SerialNumber), l.Label, l.StoreCode, l.StoreName, base + l.Path}))
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
