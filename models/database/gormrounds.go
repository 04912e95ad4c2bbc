package database

import (
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
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
