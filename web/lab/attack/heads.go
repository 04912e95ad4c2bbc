package main

import (
	"encoding/json"
	"os"
)

// headsFile has the requests that two programs may read differently, from the folder of
// the laboratory. The tests of handlers send them to the server alone.
const headsFile = "../../handlers/testdata/heads.json"

type head struct{ Fact, Request string }

func heads() (all []head, err error) {
	text, err := os.ReadFile(headsFile)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}
