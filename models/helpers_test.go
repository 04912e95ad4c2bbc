package models_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
)

func equal(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s: got +, want -:\n%s", what, diff)
	}
}

// tasks picks the tasks of a kind about a case.
func tasks(all []models.Task, kind models.TaskKind, caseID int64) []models.Task {
	var picked []models.Task
	for _, task := range all {
		if task.Kind == kind && task.CaseID == caseID {
			picked = append(picked, task)
		}
	}
	return picked
}

// isError reports whether err is this refusal, by kind and code.
func isError(err error, want *models.Error) bool { return errors.Is(err, want) }
