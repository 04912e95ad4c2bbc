package database

import (
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// keptRows are rows of an answer that has been read.
type keptRows struct {
	types  *pgtype.Map // until it is closed
	fields []pgconn.FieldDescription
	rows   [][][]byte
	at     int // the row before the next
	tag    pgconn.CommandTag
	err    error
}

func (k *keptRows) keep(rows pgx.Rows) error {
	if err := rows.Err(); err != nil { // there are no fields either
		return err
	}
	k.fields = append(k.fields, rows.FieldDescriptions()...)
	for i := range k.fields { // its name is in the connection's memory
		k.fields[i].Name = string([]byte(k.fields[i].Name))
	}
	for rows.Next() {
		values := make([][]byte, len(k.fields))
		for i, value := range rows.RawValues() {
			if value != nil {
				values[i] = append([]byte{}, value...)
			}
		}
		k.rows = append(k.rows, values)
	}
	rows.Close()
	k.tag = rows.CommandTag()
	return rows.Err()
}

func (k *keptRows) Next() bool {
	if k.err == nil && k.at < len(k.rows) {
		k.at++
		return true
	}
	k.Close()
	return false
}

func (k *keptRows) Close() {
	if k.types != nil {
		typeMaps.Put(k.types)
		k.types = nil
	}
	k.at = len(k.rows)
}

func (k *keptRows) Scan(into ...any) error {
	if len(into) == 1 {
		if scanner, ok := into[0].(pgx.RowScanner); ok {
			return scanner.ScanRow(k)
		}
	}
	if err := pgx.ScanRow(k.types, k.fields, k.RawValues(), into...); err != nil {
		k.err = err
		k.Close()
		return err
	}
	return nil
}

func (k *keptRows) Values() ([]any, error) {
	values := make([]any, len(k.fields))
	for i, raw := range k.RawValues() {
		if err := k.types.Scan(k.fields[i].DataTypeOID, k.fields[i].Format, raw, &values[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (k *keptRows) RawValues() [][]byte                          { return k.rows[k.at-1] }
func (k *keptRows) FieldDescriptions() []pgconn.FieldDescription { return k.fields }
func (k *keptRows) CommandTag() pgconn.CommandTag                { return k.tag }
func (k *keptRows) Err() error                                   { return k.err }
func (k *keptRows) Conn() *pgx.Conn                              { return nil }
func (k *keptRows) TypeMap() *pgtype.Map                         { return k.types }

// typeMaps are those by which kept rows are read: each by one reader at a time.
var typeMaps = sync.Pool{New: func() any { return pgtype.NewMap() }}

// oneRow is the first of some rows.
type oneRow struct{ rows pgx.Rows }

func (o oneRow) Scan(into ...any) error {
	defer o.rows.Close()
	if o.rows.Err() == nil && !o.rows.Next() && o.rows.Err() == nil {
		return pgx.ErrNoRows
	}
	if err := o.rows.Err(); err != nil {
		return err
	}
	if err := o.rows.Scan(into...); err != nil {
		return err
	}
	o.rows.Close()
	return o.rows.Err()
}
