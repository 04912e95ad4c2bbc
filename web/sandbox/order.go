package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// order is the body of a cancel or a reprint: the five fields of the specification.
type order struct {
	SerialNumber          string
	OrderID               string
	StoreID               string
	Traceability          json.RawMessage // always an object; {} when not sent
	DisablePrintAnimation bool
}

// parseOrder checks a body against the specification's field table and returns all
// violations. It reads fields one by one, because encoding/json alone accepts
// repeated names and names in another case.
func parseOrder(body []byte) (order, []string) {
	o := order{Traceability: json.RawMessage("{}")}
	fields, violations := objectFields(body)
	if fields == nil {
		return o, violations
	}
	complain := func(format string, args ...any) {
		violations = append(violations, fmt.Sprintf(format, args...))
	}
	for name, value := range fields {
		switch name {
		case "serialNumber":
			if json.Unmarshal(value, &o.SerialNumber) != nil || !tenDigits(o.SerialNumber) {
				complain("serialNumber is not a string of ten digits")
			}
		case "orderId", "storeId":
			text := map[string]*string{"orderId": &o.OrderID, "storeId": &o.StoreID}[name]
			if json.Unmarshal(value, text) != nil || strings.TrimSpace(*text) == "" {
				complain("%s is not a string with text", name)
			}
		case "traceability":
			if value[0] != '{' {
				complain("traceability is not an object")
			} else {
				o.Traceability = value
			}
		case "disablePrintAnimation":
			if value[0] == 'n' || json.Unmarshal(value, &o.DisablePrintAnimation) != nil {
				complain("disablePrintAnimation is not a boolean")
			}
		default:
			complain("field %q is not in the specification", name)
		}
	}
	for _, name := range []string{"serialNumber", "orderId", "storeId"} {
		if fields[name] == nil {
			complain("%s is missing", name)
		}
	}
	slices.Sort(violations) // fields came in the order of a map
	return o, violations
}

// objectFields splits one JSON object into its top-level fields, or returns nil.
func objectFields(body []byte) (map[string]json.RawMessage, []string) {
	if !utf8.Valid(body) {
		return nil, []string{"body is not UTF-8"}
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, []string{"body is not a JSON object"}
	}
	fields, violations := map[string]json.RawMessage{}, []string(nil)
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return nil, []string{"body is not a JSON object"}
		}
		if fields[name.(string)] != nil {
			violations = append(violations, fmt.Sprintf("field %q is there twice", name))
		}
		fields[name.(string)] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, []string{"body is not a JSON object"}
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, append(violations, "text after the JSON object")
	}
	return fields, violations
}
