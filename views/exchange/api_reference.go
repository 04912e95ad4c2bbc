package exchange

import (
	"veinte/models/apikeys"
	"veinte/views/ui"
)

// APIReference is the content of /api/docs, read from the OpenAPI document.
type APIReference struct {
	ui.Page
	Server     string // address to be called, as examples write it
	Scopes     []apikeys.Scope
	Operations []APIOperation
	Schemas    []APISchema
	Problems   []APIProblem
}

// APIOperation is one operation. Its texts are in the reader's language.
type APIOperation struct {
	ID, Method, Path string
	Scope            apikeys.Scope
	Summary, Text    string
	Parameters       []APIField
	BodyText         string
	Body             []APIField
	Curl             string // the call as a command
	Answers          []APIAnswer
}

// APIField is a parameter, or a field of an object.
type APIField struct {
	Name, Type string
	In         string // path, query or header; "" for a field of an object
	Required   bool
	Text       string
	Limits     []string
	Values     []string // when only these are possible
	Example    string
}

// APIAnswer is one status that an operation can answer.
type APIAnswer struct {
	Status  int
	Text    string
	Schemas []string // names of what its body can be
	Example string
}

// APISchema is an object that answers consist of.
type APISchema struct {
	Name   string
	Fields []APIField
}

// APIProblem is a kind of error.
type APIProblem struct {
	Code        string
	Status      int
	Title, Text string
}

// oldNames are those that models.OldNamesEnd ends, each with a text that says what it
// is called now.
var oldNames = []string{"merchantId", "storeId", "amountCentavos"}
