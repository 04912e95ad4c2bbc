package modelstest

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// AtOnce runs f from n goroutines that start together.
func AtOnce(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	ready.Add(n)
	start := make(chan struct{})
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-start
			f(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

func Wants(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		tb.Errorf("%s = %v, want %v", what, got, want)
	}
}

// isRoot reports whether a folder is the repository's.
func isRoot(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// EachSource calls f with the program's hand-written Go files, without tests and
// laboratory, by their path in the repository.
func EachSource(t *testing.T, f func(path, source string)) {
	t.Helper()
	root, files := "..", 0
	for !isRoot(root) {
		root = filepath.Join(root, "..")
	}
	for _, top := range []string{"models", "handlers", "views", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
			switch {
			case err != nil:
				return err
			case d.IsDir():
				switch name {
				case "web/chaos", "web/bench", "web/e2e", "web/lab", "models/modelstest":
					return fs.SkipDir
				}
				return nil
			case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_templ.go"):
				return nil
			}
			source, err := os.ReadFile(path)
			if err == nil {
				files++
				f(name, string(source))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 300 {
		t.Errorf("found %d files, want the program's", files)
	}
}

// SQLSTATEs of refusals.
const (
	CheckViolation     = "23514"
	UniqueViolation    = "23505"
	ExclusionViolation = "23P01"
	ForeignKey         = "23503"
	RestrictViolation  = "23001"
	NoPrivilege        = "42501"
)

// code returns the SQLSTATE of an error; "" for none.
func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// InVain runs a statement in a transaction that is rolled back, and returns the
// SQLSTATE with which it was refused.
func InVain(tb testing.TB, db *sql.DB, statement string) string {
	tb.Helper()
	tx, err := db.Begin()
	if err != nil {
		tb.Fatalf("begin: %v", err)
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.Exec(statement)
	return code(err)
}

// Field formats an instant as a datetime-local field of Mexico City.
func Field(o *Office, at time.Time) string {
	return at.In(o.Config.Window.Calendar.Zone()).Format("2006-01-02T15:04:05")
}

// Texts returns the one text column of a query.
func Texts(tb testing.TB, db *sql.DB, query string, args ...any) (texts []string) {
	tb.Helper()
	rows, err := db.Query(query, args...)
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			tb.Fatalf("%s: %v", query, err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return texts
}

func Scan[T any](tb testing.TB, db *sql.DB, query string, args ...any) (value T) {
	tb.Helper()
	if err := db.QueryRow(query, args...).Scan(&value); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return value
}
