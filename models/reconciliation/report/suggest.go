package report

// synonyms are the headers that providers use for a column, folded, the most
// specific first. A header is used for at most one field.
var synonyms = map[Field][]string{
	FieldOrderID: {
		"numero de orden", "no de orden", "num orden", "no orden", "id de orden", "orden", "order id", "orderid",
		"order number", "order", "numero de pedido", "pedido", "id de transaccion", "transaction id",
	},
	FieldSerialNumber: {
		"numero de serie", "no de serie", "num serie", "n s", "serie", "serial number", "serialnumber", "serial",
		"terminal id", "terminalid", "id de terminal", "id terminal", "tid", "terminal",
	},
	FieldMerchantID: {
		"id de comercio", "id comercio", "numero de afiliacion", "no de afiliacion", "afiliacion", "merchant id",
		"merchantid", "mid", "storeid", "store id", "comercio", "merchant",
	},
	FieldAmount: {"monto", "importe", "monto total", "importe total", "monto de la venta", "amount", "total amount", "total"},
	FieldStatus: {
		"operacion", "tipo de operacion", "tipo de transaccion", "tipo", "estado", "estatus", "estado de la venta",
		"operation", "transaction type", "type", "status", "state",
	},
	FieldSoldAt: {
		"fecha y hora", "fecha hora", "fecha de operacion", "fecha operacion", "fecha de la venta", "fecha de transaccion",
		"fecha", "date and time", "datetime", "date time", "transaction date", "timestamp", "sold at", "soldat", "date",
	},
	FieldHour:  {"hora", "hora de operacion", "hora operacion", "hora de la venta", "hour", "transaction time", "time"},
	FieldFolio: {"folio", "numero de folio", "no de folio", "folio number", "folionumber", "referencia", "reference"},
	FieldAuthCode: {
		"codigo de autorizacion", "numero de autorizacion", "no de autorizacion", "autorizacion", "num autorizacion",
		"auth code", "authcode", "authorization code", "authorization", "approval code", "aprobacion",
	},
	FieldLast4: {
		"ultimos cuatro", "ultimos 4", "ultimos 4 digitos", "ultimos cuatro digitos", "terminacion", "last four", "last 4",
		"last4", "numero de tarjeta", "no de tarjeta", "tarjeta", "card number", "card",
	},
}

// commonWords are the words of status columns that have had the same meaning in
// every report so far. Refunds are left out, because they are not ours.
var commonWords = map[string]Meaning{
	"venta": MeansSale, "compra": MeansSale, "pago": MeansSale, "cargo": MeansSale, "aprobada": MeansSale, "aprobado": MeansSale,
	"sale": MeansSale, "purchase": MeansSale, "approved": MeansSale, "charged": MeansSale,
	"cancelacion": MeansCancellation, "cancelada": MeansCancellation, "cancelado": MeansCancellation, "anulacion": MeansCancellation,
	"cancellation": MeansCancellation, "canceled": MeansCancellation, "cancelled": MeansCancellation,
	"void": MeansCancellation, "voided": MeansCancellation,
	"reverso": MeansReversal, "reversa": MeansReversal, "reversada": MeansReversal, "reversal": MeansReversal, "reversed": MeansReversal,
	"declinada": MeansDeclined, "rechazada": MeansDeclined, "denegada": MeansDeclined, "declined": MeansDeclined, "rejected": MeansDeclined,
}

// SuggestMapping proposes a mapping for an administrator to review: which column of
// a report holds what, by the usual names, and what the words of its status column
// mean. What is uncertain is left empty.
func SuggestMapping(header []string, rows [][]string) Mapping {
	m := Mapping{Columns: map[Field]string{}, Words: map[string]Meaning{}, Amounts: AmountsPoint, Dates: DatesDayMonthYear}
	at := map[string]int{}
	for i := len(header) - 1; i >= 0; i-- {
		at[fold(header[i])] = i
	}
	taken := map[int]bool{}
	for _, field := range Fields {
		for _, name := range synonyms[field] {
			if i, ok := at[name]; ok && !taken[i] {
				m.Columns[field], taken[i] = header[i], true
				break
			}
		}
	}
	status, ok := at[fold(m.Columns[FieldStatus])]
	if !ok || m.Columns[FieldStatus] == "" {
		m.NegativeCancels = true
		return m
	}
	for _, row := range rows {
		if status < len(row) {
			if meaning, known := commonWords[fold(row[status])]; known {
				m.Words[fold(row[status])] = meaning
			}
		}
	}
	return m
}
