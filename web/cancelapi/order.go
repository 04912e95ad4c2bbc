package cancelapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/traceability"
)

// maxIdentifier limits an order number or merchant id, in bytes, only so that a
// request always fits into one write. The specification states no limit, and what is
// stored has at most 250 characters.
const maxIdentifier = 1000

var errNoInquiries = errors.New("no inquiry path is configured")

// requestBody is the body of a cancellation and of an inquiry: exactly the five
// fields of the specification, all of them always present. The service takes a
// missing disablePrintAnimation for false, so false is sent explicitly.
type requestBody struct {
	SerialNumber          string          `json:"serialNumber"`
	OrderID               string          `json:"orderId"`
	StoreID               string          `json:"storeId"` // our MerchantID
	Traceability          json.RawMessage `json:"traceability"`
	DisablePrintAnimation bool            `json:"disablePrintAnimation"`
}

// encode checks an order and writes its body. Its errors contain the name of a
// field, never its value.
func encode(order models.Order) ([]byte, error) {
	if _, err := models.ParseSerialNumber(string(order.SerialNumber)); err != nil {
		return nil, fmt.Errorf("encode order: %w", err)
	}
	if err := cmp.Or(checkIdentifier("orderId", order.OrderID), checkIdentifier("merchantId", order.MerchantID)); err != nil {
		return nil, err
	}
	if order.Key == (models.AttemptKey{}) {
		// Anybody who can guess the key could claim the outcome.
		return nil, errors.New("encode order: no attempt key was drawn")
	}
	object, err := trace(order)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(requestBody{
		SerialNumber:          string(order.SerialNumber),
		OrderID:               order.OrderID,
		StoreID:               order.MerchantID,
		Traceability:          object,
		DisablePrintAnimation: order.OmitReceipt,
	})
	if err != nil {
		return nil, fmt.Errorf("encode order: %w", err)
	}
	return body, nil
}

// trace is the object that is returned with the terminal's result: the merchant's own
// members, and our attempt id beside them. In the bare form it is empty.
func trace(order models.Order) (json.RawMessage, error) {
	if order.Bare {
		return json.RawMessage(traceability.Empty), nil
	}
	object, err := traceability.With(order.Traceability, order.Key.Reveal())
	if err != nil {
		return nil, fmt.Errorf("encode order: %w", err)
	}
	return object, nil
}

func checkIdentifier(field, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return fmt.Errorf("encode order: %s is empty", field)
	case len(value) > maxIdentifier:
		return fmt.Errorf("encode order: %s is longer than %d bytes", field, maxIdentifier)
	case !utf8.ValidString(value):
		return fmt.Errorf("encode order: %s is not UTF-8", field)
	case strings.ContainsFunc(value, models.Invisible):
		return fmt.Errorf("encode order: %s has invisible characters", field)
	}
	return nil
}
