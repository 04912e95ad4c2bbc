package api

import (
	"cmp"
	"net/http"
	"strconv"

	"veinte/handlers/api/shapes"
	"veinte/models"
)

// storeId is the provider's id of a terminal, as the cancellation document calls it. It
// was merchantId here, and version 1 takes and writes both until models.OldNamesEnd. In
// the trail storeId was the number of our own store, which is storeNumber; there it never
// gets the other meaning, because a name that changes its meaning is not noticed.
const (
	newStoreID = "storeId"
	oldStoreID = "merchantId"
)

var errTwoStoreIDs = models.Invalid(newStoreID, "api.storeId.two")

// oneOf is the id that was given under one of its two names, or under both.
func (a *API) oneOf(c *call, at, storeID, merchantID string) (string, error) {
	if storeID != "" && merchantID != "" && storeID != merchantID {
		return "", a.invalid(c.Ctx, a.fieldError(c.Ctx, errTwoStoreIDs, at, ""))
	}
	return cmp.Or(storeID, merchantID), nil
}

// nameInside is the name by which the models, and the texts about a field, call it.
func nameInside(name string) string {
	if name == newStoreID {
		return oldStoreID
	}
	return name
}

// named is the error under the name by which the program gave the field.
func named(e shapes.FieldError, at, name string) shapes.FieldError {
	e.Location = at + "." + name
	return e
}

// nameOf names a sale among others.
func nameOf(s *models.Sale) shapes.SaleName {
	return shapes.SaleName{SaleID: s.ID, SerialNumber: string(s.SerialNumber), StoreID: s.MerchantID, MerchantID: s.MerchantID}
}

// hasOldNames are the operations that take or write a name that will go.
var hasOldNames = map[string]bool{
	"recordSales": true, "listSales": true, "findSale": true, "findSaleById": true, "findSalesByReference": true,
	"correctSale": true, "undoSale": true, "cancelSale": true, "findCancellation": true, "withdrawCancellation": true, "followAudit": true,
	"listCancellations": true, "followChanges": true,
}

// deprecationHeaders say since when and until when: RFC 9745 and RFC 8594.
var deprecationHeaders = []string{"Deprecation", "Sunset", "Link"}

// tellDeprecation sets them.
func (a *API) tellDeprecation(c *call) {
	c.Set("Deprecation", "@"+strconv.FormatInt(models.OldNamesDeprecated.Unix(), 10))
	c.Set("Sunset", models.OldNamesEnd.Format(http.TimeFormat))
	page := "<" + a.BaseURL + "/api/docs#deprecations>"
	c.Set("Link", page+`; rel="deprecation"; type="text/html", `+page+`; rel="sunset"; type="text/html"`)
}
