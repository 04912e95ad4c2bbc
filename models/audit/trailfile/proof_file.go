package trailfile

import "encoding/json"

// File is the content of a proof's file: one line of JSON.
func (p Proof) File() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
