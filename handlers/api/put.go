package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/terminals"
)

// putStoreParams are the parameters of PUT /api/v1/stores/{store}.
type putStoreParams struct {
	Store   string `path:"store" doc:"api.doc.path.store" maxLength:"20" example:"ROMA-01"`
	IfMatch string `header:"If-Match" doc:"api.doc.header.ifMatch" example:"\"2\""`
	IfNone  string `header:"If-None-Match" doc:"api.doc.header.ifNoneMatchNew" example:"*"`
}

// putStore handles PUT /api/v1/stores/{store}: a store of this code is so from now on, by
// the rules of the administrator's page.
func (a *API) putStore(ctx context.Context, in *putStoreParams) (*output, error) {
	c := callOf(ctx)
	var body shapes.StoreInput
	seen, err := a.readPut(c, in.IfMatch, in.IfNone, map[string]*string{"storeName": &body.StoreName, "timeZone": &body.TimeZone}, nil)
	if err != nil {
		return nil, err
	}
	store, made, err := a.Terminals.PutStore(ctx, c.actor, seen, terminals.StoreInput{
		Code: unescaped(in.Store), Name: body.StoreName, TimeZone: body.TimeZone,
	})
	if err != nil {
		return nil, a.putProblem(c, err, map[string]string{"code": "path.store", "name": "body.storeName", "timeZone": "body.timeZone"})
	}
	return madeOrChanged(c, made, store.Version, storeOf(store)), nil
}

// putTerminalParams are the parameters of PUT /api/v1/terminals/{serialNumber}.
type putTerminalParams struct {
	SerialNumber string `path:"serialNumber" doc:"api.doc.sale.serialNumber" pattern:"^[0-9]{10}$" example:"1490000001"`
	IfMatch      string `header:"If-Match" doc:"api.doc.header.ifMatch" example:"\"2\""`
	IfNone       string `header:"If-None-Match" doc:"api.doc.header.ifNoneMatchNew" example:"*"`
}

// putTerminal handles PUT /api/v1/terminals/{serialNumber}: the terminal is called so and
// stands there from now on.
func (a *API) putTerminal(ctx context.Context, in *putTerminalParams) (*output, error) {
	c := callOf(ctx)
	var retired *bool
	body := terminals.PutInput{SerialNumber: unescaped(in.SerialNumber)}
	fields := map[string]*string{"label": &body.Label, "store": &body.StoreCode, "storeId": &body.MerchantID}
	seen, err := a.readPut(c, in.IfMatch, in.IfNone, fields, &retired)
	if err != nil {
		return nil, err
	}
	body.Retired = retired
	t, made, err := a.Terminals.PutTerminal(ctx, c.actor, seen, body)
	if err != nil {
		return nil, a.putProblem(c, err, map[string]string{
			"serialNumber": "path.serialNumber", "label": "body.label", "store": "body.store", "merchantId": "body.storeId",
			"retired": "body.retired",
		})
	}
	dir, err := a.Directory(ctx)
	if err != nil {
		return nil, err
	}
	return madeOrChanged(c, made, t.Version, terminalOf(dir, t)), nil
}

// madeOrChanged is the response to a PUT, with the version for the next one.
func madeOrChanged(c *call, made bool, version int, body any) *output {
	c.Set(fiber.HeaderETag, strconv.Quote(strconv.Itoa(version)))
	if made {
		return &output{http.StatusCreated, body}
	}
	return &output{http.StatusOK, body}
}

// readPut reads the body of a PUT into fields, and what its program has seen. retired is
// where the one flag belongs; nil where there is none.
func (a *API) readPut(c *call, ifMatch, ifNone string, fields map[string]*string, retired **bool) (seen terminals.Seen, err error) {
	if seen, err = a.seenOf(c, ifMatch, ifNone); err != nil {
		return seen, err
	}
	s, err := a.bodyObject(c.Ctx, c.BodyRaw())
	if err != nil {
		return seen, err
	}
	read, flag := textFields{api: a, c: c.Ctx, at: "body", seen: map[string]bool{}}, false
	if retired != nil {
		read.flag, read.flagIs = &flag, "retired"
	}
	read.object(s, func(name string) *string { return fields[name] })
	if len(read.errors) > 0 {
		return seen, a.invalid(c.Ctx, read.errors...)
	}
	if read.seen["retired"] {
		*retired = &flag
	}
	return seen, nil
}

// seenOf reads If-Match, which is one version in quotes, and If-None-Match, which is * alone.
func (a *API) seenOf(c *call, ifMatch, ifNone string) (seen terminals.Seen, err error) {
	wrong := func(name string) error {
		return a.invalid(c.Ctx, a.fieldError(c.Ctx, models.Invalid(name, "api.ifMatch"), "header", ""))
	}
	switch {
	case ifNone == "*" && ifMatch == "":
		seen.Nothing = true
	case ifNone != "":
		return seen, wrong(fiber.HeaderIfNoneMatch)
	}
	if ifMatch != "" {
		version, ok := strings.CutPrefix(ifMatch, `"`)
		version, closed := strings.CutSuffix(version, `"`)
		if seen.Version, err = strconv.Atoi(version); err != nil || !ok || !closed || seen.Version < 1 {
			return seen, wrong(fiber.HeaderIfMatch)
		}
	}
	return seen, nil
}

// putProblem words a refusal by the names of the program's own fields.
func (a *API) putProblem(c *call, err error, places map[string]string) error {
	var known *models.Error
	switch {
	case !errors.As(err, &known):
		return err
	case known.Kind == models.KindNotFound || known.Kind == models.KindForbidden:
		return c.denied(known)
	case known.Kind == models.KindInvalid:
		e := a.fieldError(c.Ctx, known, "body", "")
		if place := places[known.Field]; place != "" {
			e.Location = place
		}
		p := a.invalid(c.Ctx, e)
		p.cause = err // perhaps recorded
		return p
	}
	return err
}
