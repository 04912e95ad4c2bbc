package words

import (
	"bytes"
	"encoding/json"
)

// Pretty indents a posted body for reading; what is no JSON stays as it came.
func Pretty(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return b.String()
}
