package results

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// idIn is the attempt id that a body carries where the product puts it.
func idIn(body []byte) string {
	var p struct {
		Traceability struct{ AttemptID string }
	}
	if json.Unmarshal(body, &p) != nil {
		return ""
	}
	return p.Traceability.AttemptID
}

// trace is a traceability that carries an attempt id.
func trace(id any) map[string]any { return map[string]any{"attemptId": id} }

// forgedID has the shape of an attempt id and is none.
func forgedID(random *rand.Rand) string {
	a, b := random.Uint64(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}
