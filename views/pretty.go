package views

import (
	"bytes"
	"encoding/json"
)

// pretty indents a posted body for reading; what is no JSON stays as it came.
func pretty(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return b.String()
}
