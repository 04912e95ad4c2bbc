package database

import (
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
)

// shareRounds has what gorm finds outside of a transaction share the round trips of its
// page. Its Rows and Raw(…).Scan do not.
func (db *DB) shareRounds() error {
	return db.gorm.Callback().Query().Replace("gorm:query", func(g *gorm.DB) {
		if roundsOf(g.Statement.Context) == nil || g.Statement.ConnPool != gorm.ConnPool(db.sql) {
			callbacks.Query(g)
			return
		}
		if g.Error == nil {
			callbacks.BuildQuerySQL(g)
		}
		if g.Error != nil {
			return
		}
		rows, err := db.Query(g.Statement.Context, g.Statement.SQL.String(), g.Statement.Vars...)
		if err != nil {
			_ = g.AddError(err)
			return
		}
		defer rows.Close()
		if kept, ok := rows.(*keptRows); ok {
			err = kept.textArrays()
		}
		if err != nil {
			_ = g.AddError(err)
			return
		}
		gorm.Scan(gormRows{rows}, g, 0)
		if g.Statement.Result != nil {
			g.Statement.Result.RowsAffected = g.RowsAffected
		}
	})
}

// gormRows are pgx's rows as gorm reads them.
type gormRows struct{ pgx.Rows }

func (r gormRows) Columns() ([]string, error) {
	fields := r.FieldDescriptions()
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return names, nil
}

// ColumnTypes is for rows that go into maps, which none of ours does.
func (r gormRows) ColumnTypes() ([]*sql.ColumnType, error) {
	return nil, errors.New("rows of a page have no types")
}

func (r gormRows) Close() error {
	r.Rows.Close()
	return nil
}

// textArrays writes arrays as text, as which database/sql gives them to a Scanner.
func (k *keptRows) textArrays() error {
	for i := range k.fields {
		f := &k.fields[i]
		kind, known := k.types.TypeForOID(f.DataTypeOID)
		if _, array := codecOf(kind).(*pgtype.ArrayCodec); !known || !array || f.Format != pgtype.BinaryFormatCode {
			continue
		}
		for _, row := range k.rows {
			if row[i] == nil {
				continue
			}
			value, err := kind.Codec.DecodeValue(k.types, f.DataTypeOID, f.Format, row[i])
			if err != nil {
				return err
			}
			if row[i], err = k.types.Encode(f.DataTypeOID, pgtype.TextFormatCode, value, nil); err != nil {
				return err
			}
		}
		f.Format = pgtype.TextFormatCode
	}
	return nil
}

func codecOf(kind *pgtype.Type) pgtype.Codec {
	if kind == nil {
		return nil
	}
	return kind.Codec
}
