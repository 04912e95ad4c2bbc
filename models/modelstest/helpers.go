package modelstest

import (
	"database/sql"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
)

func Equal(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s: got +, want -:\n%s", what, diff)
	}
}

// Tasks picks the tasks of a kind about a cancellation.
func Tasks(all []models.Task, kind models.TaskKind, id int64) []models.Task {
	var picked []models.Task
	for _, task := range all {
		if task.Kind == kind && task.SubjectID == id {
			picked = append(picked, task)
		}
	}
	return picked
}

// IsError reports whether err is this refusal, by kind and code.
func IsError(err error, want *models.Error) bool { return errors.Is(err, want) }

func Exec(tb testing.TB, db *sql.DB, statement string, args ...any) {
	tb.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

func Count(tb testing.TB, db *sql.DB, query string, args ...any) int {
	tb.Helper()
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}

// WaitFor waits until the condition holds.
func WaitFor(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	// Long, because a machine that runs all tests at once may be slow.
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			tb.Fatalf("waited a minute for %s", what)
		}
		runtime.Gosched()
	}
}
