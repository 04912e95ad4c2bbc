package shapes

import "time"

// The examples of the document. A test holds them against its schemas.
var (
	ExampleInput = SaleInput{
		SerialNumber: "1490000001", OrderID: "261120115930-1490000001", Amount: "1250.00", Currency: "MXN",
		SoldAt: "2026-11-20T11:59:30-06:00", Last4: "4242", CardBrand: "VISA", AuthCode: "A1B2C3", Folio: "000123",
		Reference: "ticket 7841",
	}
	ExampleSecond = SaleInput{
		SerialNumber: "1490000002", StoreID: "9000011", OrderID: "261120120107-1490000002", Amount: "89.9",
		SoldAt: "2026-11-20T12:01:07-06:00",
	}
	ExampleOutcome = Outcome{Status: "created", SaleID: 48213, SerialNumber: "1490000001", OrderID: "261120115930-1490000001"}
	ExampleBatch   = Batch{Created: 1, Refused: 1, Items: []Outcome{
		ExampleOutcome,
		{Index: 1, Status: "refused", SerialNumber: "1490000002", OrderID: "261120120107-1490000002", Errors: []FieldError{{
			Location: "body[1].amount", Code: "amount.notText", Value: "89.9",
			Detail: "El monto va como texto entre comillas, por ejemplo \"1250.00\".",
		}}},
	}}
	ExampleCancel       = CancelInput{Reason: "customerRequest", Note: "Se llevó otra talla"}
	ExampleCancellation = Cancellation{
		ID: 912, SaleID: 48213, SerialNumber: "1490000001", StoreID: "9000010", MerchantID: "9000010", OrderID: "261120115930-1490000001",
		Amount: "1250.00", Currency: "MXN", Store: "ROMA-01",
		Canceled: "inProgress", State: "requested", StateText: "Solicitada", Reason: "customerRequest", Note: "Se llevó otra talla",
		RequestedBy: "Punto de venta Roma", RequestedAt: ExampleTime, ChangedAt: ExampleTime,
	}
	ExampleWithdrawn = Cancellation{
		ID: 912, SaleID: 48213, SerialNumber: "1490000001", StoreID: "9000010", MerchantID: "9000010", OrderID: "261120115930-1490000001",
		Amount: "1250.00", Currency: "MXN", Store: "ROMA-01",
		Canceled: "no", State: "withdrawn", StateText: "Retirada", Final: true, Reason: "customerRequest", Note: "Se llevó otra talla",
		RequestedBy: "Punto de venta Roma", RequestedAt: ExampleTime, ChangedAt: ExampleTime,
	}
	ExampleCorrection = CorrectInput{Amount: new("1205.00"), Note: "Se tecleó otro monto"}
	ExampleUndo       = UndoInput{Note: "Se envió dos veces"}
	ExampleSale       = Sale{
		ID: 48213, SerialNumber: "1490000001", StoreID: "9000010", MerchantID: "9000010", OrderID: "261120115930-1490000001",
		Amount: "1250.00", Currency: "MXN", SoldAt: ExampleTime.Add(-20 * time.Minute), ReceivedAt: ExampleTime.Add(-20 * time.Minute),
		Last4: "4242", CardBrand: "VISA", AuthCode: "A1B2C3", Folio: "000123", Reference: "ticket 7841",
		Source: "api", Store: "ROMA-01", StoreName: "Roma Norte", Canceled: "inProgress", State: "requested", StateText: "Solicitada",
		WhyNot: "case-open", WhyNotText: "Ya hay una cancelación en curso para esta venta.",
		CancelUntil: time.Date(2026, 11, 21, 1, 59, 55, 0, time.UTC), Cancellation: &ExampleCancellation,
	}
	ExampleCheckpoint = Checkpoint{
		Size: 12345, Root: "3vJ9m0m5H2dO3uYvCqkkz2S0m9xRZzv7oX1y4nM0mJk=", SealedAt: ExampleTime,
		Note: "tienda.example/bitacora\n12345\n3vJ9m0m5H2dO3uYvCqkkz2S0m9xRZzv7oX1y4nM0mJk=\n" +
			"time 2026-11-20T18:20:00Z\n\n— tienda.example/bitacora …\n",
	}
	ExampleCancellations = Cancellations{From: "2026-11-01", To: "2026-11-20", Items: []Cancellation{ExampleCancellation}}
	ExampleReasons       = Reasons{Items: []Reason{{
		Code: "customerRequest", LabelES: "El cliente cambió de opinión", LabelEN: "The customer changed their mind", InUse: true,
	}}}
	ExampleStore = Store{
		StoreNumber: 3, Store: "ROMA-01", StoreName: "Roma Norte", TimeZone: "America/Mexico_City", CreatedAt: ExampleSince, Version: 2,
	}
	ExampleStores   = Stores{Items: []Store{ExampleStore}}
	ExampleTerminal = Terminal{
		SerialNumber: "1490000001", Label: "Caja 2", Store: "ROMA-01", StoreName: "Roma Norte", StoreID: "9000010",
		Since: &ExampleSince, LastResultAt: &ExampleTime, Version: 2,
	}
	ExampleTerminals     = Terminals{Items: []Terminal{ExampleTerminal}}
	ExampleStoreInput    = StoreInput{StoreName: "Roma Norte", TimeZone: "America/Mexico_City"}
	ExampleTerminalInput = TerminalInput{Label: "Caja 2", Store: "ROMA-01", StoreID: "9000010"}
	ExampleChanges       = Changes{After: "YzEuMS43NzMuMi45MTI", Items: []Change{
		{Cursor: "YzEuMS43NzMuMi45MTI", Type: "cancellation", ID: 912, Cancellation: &ExampleCancellation},
	}}
	ExampleSince = time.Date(2026, 10, 1, 6, 0, 0, 0, time.UTC)
	ExampleTime  = time.Date(2026, 11, 20, 18, 20, 0, 0, time.UTC)
)
