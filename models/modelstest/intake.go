package modelstest

import (
	"testing"

	"veinte/models"
	"veinte/models/intake"
)

// RequestKey is a program that may report sales of every store.
func RequestKey(stores ...*models.Store) models.Actor {
	a := Person(models.Supervisor, stores...)
	a.Name, a.Role, a.Grants = "Punto de venta", models.Integration, []models.Permission{models.RecordSales}
	return a
}

var ByAPI = intake.Options{Source: models.SourceAPI}

// GivenSale is a sale of the office's terminal as a program reports it, made at noon.
func GivenSale(o *Office, order string) models.SaleInput {
	return models.SaleInput{
		SerialNumber: string(o.Terminal.SerialNumber), OrderID: order, Amount: "1250.00", Currency: "MXN",
		SoldAt: "2026-11-20T11:59:30-06:00", Last4: "4242", CardBrand: "VISA", AuthCode: "A1", Folio: "F1", Reference: "ticket 7",
	}
}

func Record(t *testing.T, o *Office, actor models.Actor, in intake.Options, sales ...models.SaleInput) []intake.Outcome {
	t.Helper()
	outcomes, err := o.Intake.RecordSales(t.Context(), actor, in, sales)
	if err != nil {
		t.Fatalf("RecordSales() = %v", err)
	}
	return outcomes
}

// Said formats an outcome as its status and the fields that are its problems.
func Said(o intake.Outcome) string {
	s := string(o.Status)
	for _, p := range o.Problems {
		s += " " + p.Field + ":" + p.Code
	}
	return s
}
