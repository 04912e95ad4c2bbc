package api

import "time"

// The examples of the document. A test holds them against its schemas.
var (
	exampleInput = SaleInput{
		SerialNumber: "1490000001", OrderID: "261120115930-1490000001", Amount: "1250.00", Currency: "MXN",
		SoldAt: "2026-11-20T11:59:30-06:00", Last4: "4242", CardBrand: "VISA", AuthCode: "A1B2C3", Folio: "000123",
		Reference: "ticket 7841",
	}
	exampleSecond = SaleInput{
		SerialNumber: "1490000002", StoreID: "9000011", OrderID: "261120120107-1490000002", Amount: "89.9",
		SoldAt: "2026-11-20T12:01:07-06:00",
	}
	exampleOutcome = Outcome{Status: "created", SaleID: 48213, SerialNumber: "1490000001", OrderID: "261120115930-1490000001"}
	exampleBatch   = Batch{Created: 1, Refused: 1, Items: []Outcome{
		exampleOutcome,
		{Index: 1, Status: "refused", SerialNumber: "1490000002", OrderID: "261120120107-1490000002", Errors: []FieldError{{
			Location: "body[1].amount", Code: "amount.notText", Value: "89.9",
			Detail: "El monto va como texto entre comillas, por ejemplo \"1250.00\".",
		}}},
	}}
	exampleCancel       = CancelInput{Reason: "customerRequest", Note: "Se llevó otra talla"}
	exampleCancellation = Cancellation{
		ID: 912, SaleID: 48213, SerialNumber: "1490000001", StoreID: "9000010", MerchantID: "9000010", OrderID: "261120115930-1490000001",
		Canceled: "inProgress", State: "requested", StateText: "Solicitada", Reason: "customerRequest", Note: "Se llevó otra talla",
		RequestedBy: "Punto de venta Roma", RequestedAt: exampleTime, ChangedAt: exampleTime,
	}
	exampleWithdrawn = Cancellation{
		ID: 912, SaleID: 48213, SerialNumber: "1490000001", StoreID: "9000010", MerchantID: "9000010", OrderID: "261120115930-1490000001",
		Canceled: "no", State: "withdrawn", StateText: "Retirada", Final: true, Reason: "customerRequest", Note: "Se llevó otra talla",
		RequestedBy: "Punto de venta Roma", RequestedAt: exampleTime, ChangedAt: exampleTime,
	}
	exampleCorrection = CorrectInput{Amount: new("1205.00"), Note: "Se tecleó otro monto"}
	exampleUndo       = UndoInput{Note: "Se envió dos veces"}
	exampleSale       = Sale{
		ID: 48213, SerialNumber: "1490000001", StoreID: "9000010", MerchantID: "9000010", OrderID: "261120115930-1490000001",
		Amount: "1250.00", Currency: "MXN", SoldAt: exampleTime.Add(-20 * time.Minute), ReceivedAt: exampleTime.Add(-20 * time.Minute),
		Last4: "4242", CardBrand: "VISA", AuthCode: "A1B2C3", Folio: "000123", Reference: "ticket 7841",
		Source: "api", Store: "ROMA-01", StoreName: "Roma Norte", Canceled: "inProgress", State: "requested", StateText: "Solicitada",
		WhyNot: "case-open", WhyNotText: "Ya hay una cancelación en curso para esta venta.",
		CancelUntil: time.Date(2026, 11, 21, 1, 59, 55, 0, time.UTC), Cancellation: &exampleCancellation,
	}
	exampleCheckpoint = Checkpoint{
		Size: 12345, Root: "3vJ9m0m5H2dO3uYvCqkkz2S0m9xRZzv7oX1y4nM0mJk=", SealedAt: exampleTime,
		Note: "tienda.example/bitacora\n12345\n3vJ9m0m5H2dO3uYvCqkkz2S0m9xRZzv7oX1y4nM0mJk=\n" +
			"time 2026-11-20T18:20:00Z\n\n— tienda.example/bitacora …\n",
	}
	exampleTime = time.Date(2026, 11, 20, 18, 20, 0, 0, time.UTC)
)
