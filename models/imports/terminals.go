package imports

import (
	"errors"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/table"
)

// terminalsImport is the import of terminals: in which store each one is, under
// which merchant id. An unknown store is opened when the file names it in full.
var terminalsImport = &importer{
	may:  models.ManageTerminals,
	done: models.ActionTerminalsImported,
	columns: []table.Column{
		{Name: "serialNumber", Required: true, Synonyms: []string{
			"serie", "n/s", "s/n", "no. de serie", "núm. de serie", "n.º de serie", "número de serie", "serial", "terminal",
		}},
		{Name: "merchantId", Required: true, Synonyms: []string{"id. de comercio", "id comercio", "comercio", "storeId"}},
		{Name: "store", Required: true, Synonyms: []string{"sucursal", "clave", "clave de sucursal", "tienda", "storeCode"}},
		{Name: "label", Synonyms: []string{"nombre", "nombre en la sucursal", "caja", "etiqueta", "alias"}},
		{Name: "from", Synonyms: []string{"desde", "fecha", "vigente desde"}},
		{Name: "storeName", Synonyms: []string{"nombre de la sucursal", "nombre de sucursal", "nombre de la tienda"}},
		{Name: "timeZone", Synonyms: []string{"zona horaria", "zona", "huso horario"}},
	},
	read:  readTerminal,
	begin: beginTerminals,
	undo:  undoTerminals,
}

// defaultTimeZone is the time zone of a store when the file has none.
const defaultTimeZone = "America/Mexico_City"

func readTerminal(r *table.Row) Row {
	c := readCells(r)
	c.add("serialNumber", table.Cell.Digits)
	c.addNumber("merchantId", wholeValue)
	c.add("store", func(cell table.Cell) (string, *table.Error) {
		v, wrong := cell.Value()
		return strings.ToUpper(v), wrong
	})
	c.add("label", wholeValue)
	c.addMoment("from", "", true)
	c.add("storeName", wholeValue)
	c.add("timeZone", wholeValue)
	return c.out
}

// terminalRow is a parsed row of the file.
type terminalRow struct {
	serial               models.SerialNumber
	merchant, code       string
	label                string
	from                 time.Time // zero: from the beginning of today
	storeName, storeZone string    // "" when the file has none
}

// terminalRow checks each field of a row by itself.
func (r *terminalsRun) terminalRow(row *Row) (in terminalRow, ok bool) {
	v := row.Values
	var err [7]error
	in.serial, err[0] = models.ParseSerialNumber(v[0])
	in.merchant, err[1] = models.ParseMerchantID(v[1])
	in.code, err[2] = models.ParseStoreCode(v[2])
	in.label = v[3]
	if in.label == "" && err[0] == nil {
		in.label = "Terminal " + string(in.serial[6:])
	}
	in.label, err[3] = models.Text("label", in.label, 60)
	if v[5] != "" || v[6] != "" {
		in.storeName, err[5] = models.Text("storeName", v[5], 80)
		in.storeZone, err[6] = models.ParseTimeZone(v[6])
	}
	if v[5] != "" && v[6] == "" {
		in.storeZone, err[6] = defaultTimeZone, nil
	}
	for i, e := range err {
		var refused *models.Error
		if errors.As(e, &refused) {
			row.refuse(terminalsImport.columns[i].Name, refused.Code, v[i])
		}
	}
	return in, row.Status != intake.Refused
}

// judgeFrom reads since when the terminal stands in its store, by the store's own clock
// where the file has no zone.
func (r *terminalsRun) judgeFrom(row *Row, in *terminalRow) bool {
	zone, text := r.calendar.Zone(), row.Values[4]
	if store := r.stores[in.code]; store != nil && store.zone != "" {
		loaded, err := time.LoadLocation(store.zone)
		if err == nil {
			zone = loaded
		}
	}
	if m, ok := onWall(text); ok {
		at, wrong := m.In(zone)
		if wrong != nil {
			row.refuse("from", wrong.Code, text)
			return false
		}
		text = at.Format(time.RFC3339Nano)
	}
	var refused *models.Error
	var err error
	if in.from, err = models.ParseInstant("from", text, r.now, zone); errors.As(err, &refused) {
		row.refuse("from", refused.Code, row.Values[4])
		return false
	}
	return true
}

// refuse records that a column's value makes the row wrong.
func (r *Row) refuse(column, code, value string) {
	r.Status = intake.Refused
	r.Problems = append(r.Problems, Problem{Column: column, Code: code, Detail: table.Shown(value)})
}

// differs records that a column's value contradicts what is stored.
func (r *Row) differs(column, known string) {
	r.Status = intake.Conflict
	r.Problems = append(r.Problems, Problem{Column: column, Code: "terminalRow.differs", Detail: known})
}
