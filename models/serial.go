package models

// SerialNumber identifies a card terminal: ten digits, printed on its back
// after "S/N".
type SerialNumber string

// ParseSerialNumber accepts exactly ten ASCII digits, as the service demands.
func ParseSerialNumber(s string) (SerialNumber, error) {
	if len(s) != 10 {
		return "", Invalid("serialNumber", "serial.invalid")
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return "", Invalid("serialNumber", "serial.invalid")
		}
	}
	return SerialNumber(s), nil
}
