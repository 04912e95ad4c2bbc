package views

import (
	"context"
	"strconv"

	"veinte/views/locale"
)

// ErrorView is a page that says what went wrong and what to do next.
type ErrorView struct {
	Page
	Status    int
	Code      string // catalogue key, such as error.notFound
	RequestID string // for whoever is asked for help; "" hides it
}

func (v ErrorView) heading(ctx context.Context) string {
	if key := "failure.title" + strconv.Itoa(v.Status); locale.Has(key) {
		return locale.T(ctx, key)
	}
	return locale.T(ctx, "failure.title")
}

// next is advice by status, since many codes share one.
func (v ErrorView) next(ctx context.Context) string {
	if key := "failure.next" + strconv.Itoa(v.Status); locale.Has(key) {
		return locale.T(ctx, key)
	}
	return locale.T(ctx, "failure.next")
}
