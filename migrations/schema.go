package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"regexp"
	"testing/fstest"
)

// usual is the schema that the files name: that of a database which nobody shares.
const usual = "public"

var (
	plain = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)
	named = regexp.MustCompile(`\b` + usual + `\b`)
)

// schema is where the tables stand: the first schema in the search path of whoever migrates.
// The trail's months and what guards it stand in trail, of which a database has one.
func schema(ctx context.Context, db *sql.DB) (string, error) {
	var name, path, other sql.NullString
	err := db.QueryRowContext(ctx, `SELECT current_schema(), current_setting('search_path'), (SELECT n.nspname
		FROM pg_inherits i JOIN pg_class month ON month.oid = i.inhrelid AND month.relnamespace = to_regnamespace('trail')
			JOIN pg_class entries ON entries.oid = i.inhparent JOIN pg_namespace n ON n.oid = entries.relnamespace
		WHERE n.nspname <> current_schema() LIMIT 1)`).Scan(&name, &path, &other)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the schema: %w", err)
	case !name.Valid:
		return "", fmt.Errorf("the search_path of this role (%s) names no schema that there is and that it may use: make one of its own, "+
			"and name it with ALTER ROLE … IN DATABASE … SET search_path", path.String)
	case !plain.MatchString(name.String):
		return "", fmt.Errorf("the schema %q: want a name of small letters, digits and underscores", name.String)
	case other.Valid:
		return "", fmt.Errorf("the search_path of this role (%s) leads to the schema %s, and Veinte's tables stand in %s of this database: "+
			"name that one with ALTER ROLE … IN DATABASE … SET search_path, or take another database", path.String, name.String, other.String)
	}
	return name.String, nil
}

// in returns the files with another schema where they name the usual one, such as in the search
// paths of functions. Their comments, which PostgreSQL does not read, change with them.
func in(schema string) (fs.FS, error) {
	if schema == usual {
		return files, nil
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	moved := fstest.MapFS{}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		moved[name] = &fstest.MapFile{Data: named.ReplaceAll(text, []byte(schema))}
	}
	return moved, nil
}
