package ui

import (
	"context"
	"net/http"
	"strconv"

	"veinte/views/locale"
)

// ErrorView is a page that says what went wrong and what to do next.
type ErrorView struct {
	Page
	Status    int
	Code      string // catalogue key, such as error.notFound
	Back      string // to the form, with what was entered; "" where there is none
	RequestID string // for whoever is asked for help; "" hides it
}

func (v ErrorView) heading(ctx context.Context) string {
	switch v.Code {
	case "error.csrf":
		return locale.T(ctx, "failure.titleOld")
	case "error.otherSite":
		return locale.T(ctx, "failure.titleOther")
	case "error.heavy":
		return locale.T(ctx, "failure.titleTurn")
	}
	if key := "failure.title" + strconv.Itoa(v.Status); locale.Has(key) {
		return locale.T(ctx, key)
	}
	return locale.T(ctx, "failure.title")
}

// backWords is the key of what the way back says.
func (v ErrorView) backWords() string {
	if v.Code == "error.csrf" {
		return "failure.backToForm"
	}
	return "failure.mendFilter"
}

// place is the part of the product in which something was not found, where its
// list says what there is; nil where there is none, or none for the reader.
func (v ErrorView) place() *Place {
	if v.Status != http.StatusNotFound {
		return nil
	}
	return pageOf(PlacesFor(v.Actor, Navigation), v.Path)
}

// next is advice by status, since many codes share one.
func (v ErrorView) next(ctx context.Context) string {
	switch v.Code {
	case "error.csrf", "error.otherSite", "error.heavy":
		return "" // it says what to do itself
	case "error.addressTooLong":
		return locale.T(ctx, "failure.nextShorter")
	}
	if key := "failure.next" + strconv.Itoa(v.Status); locale.Has(key) {
		return locale.T(ctx, key)
	}
	return locale.T(ctx, "failure.next")
}
