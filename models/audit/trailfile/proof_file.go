package trailfile

import "encoding/json"

// File is the proof as a file has it, whoever writes it: one line of JSON.
func (p Proof) File() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
