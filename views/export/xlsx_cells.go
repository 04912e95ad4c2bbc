package export

import (
	"strconv"
	"time"

	"veinte/models"
)

// open writes the beginning of a cell up to its other attributes.
func (x *book) open() {
	x.buf = append(append(append(append(x.buf, `<c r="`...), columnNames[x.column]...), x.ref...), '"')
	x.column++
}

func (x *book) text(s string) { x.styled(s, styleText) }

func (x *book) styled(s, style string) {
	if s == "" {
		x.column++
		return
	}
	x.open()
	x.buf = append(append(x.buf, style...), ` t="inlineStr"><is><t xml:space="preserve">`...)
	x.buf = append(appendSheetText(x.buf, s), "</t></is></c>"...)
}

func (x *book) raw(b []byte) { x.styled(string(b), styleText) }

func (x *book) number(n int64) {
	x.open()
	x.buf = append(append(x.buf, styleWhole...), "><v>"...)
	x.buf = append(strconv.AppendInt(x.buf, n, 10), "</v></c>"...)
}

func (x *book) numberOf(n *int64) {
	if n == nil {
		x.column++
		return
	}
	x.number(*n)
}

func (x *book) amount(m *models.Money) {
	if m == nil {
		x.column++
		return
	}
	x.open()
	x.buf = append(append(x.buf, styleAmount...), "><v>"...)
	x.buf = append(appendDecimal(x.buf, *m), "</v></c>"...)
}

func (x *book) instant(t time.Time) {
	x.open()
	x.buf = append(append(x.buf, styleText...), ` t="inlineStr"><is><t>`...)
	x.buf = append(x.zone.in(t).AppendFormat(x.buf, isoTime), "</t></is></c>"...)
}

func (x *book) local(t time.Time) {
	x.open()
	x.buf = append(append(x.buf, styleInstant...), "><v>"...)
	x.buf = append(appendSerial(x.buf, x.zone.in(t)), "</v></c>"...)
}
