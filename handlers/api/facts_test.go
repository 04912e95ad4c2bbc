package api_test

import (
	"reflect"
	"strings"
	"testing"

	"veinte/handlers/api/shapes"
	"veinte/models"
)

// TestTheDocumentNamesEveryFact: what the API's document says of a sale is what
// models take, no more and no less.
func TestTheDocumentNamesEveryFact(t *testing.T) {
	t.Parallel()
	var in models.SaleInput
	document := reflect.TypeFor[shapes.SaleInput]()
	for i := range document.NumField() {
		name, _, _ := strings.Cut(document.Field(i).Tag.Get("json"), ",")
		if name == "storeId" { // another name of merchantId
			continue
		}
		if in.Field(name) == nil {
			t.Errorf("the document names %s, which is no fact of a sale", name)
		}
	}
	if got, want := document.NumField()-1, reflect.TypeOf(in).NumField(); got != want {
		t.Errorf("the document names %d facts, want %d", got, want)
	}
}
