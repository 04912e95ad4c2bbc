package cancelapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"

	"veinte/models"
)

// The documented codes of the service. All others are unknown.
const (
	codeSent             = "00"
	codeTerminalNotFound = "19"
	errorInvalidToken    = "invalid_token"
)

// How much of the service's texts is stored, in characters.
const (
	maxCode    = 32
	maxMessage = 200
)

// read judges a whole response: by its body, whatever its Content-Type, and by its
// status only when the body states nothing, because the service's statuses are not
// published.
func (x *exchange) read(got answer, reply *models.Reply) {
	words, ok := parseWords(got.body)
	if !ok {
		reply.Meaning, reply.Detail = models.MeaningUnknown, byStatus(got.status)
		return
	}
	secrets := x.secrets()
	reply.Meaning, reply.Detail = classify(got.status, words)
	reply.Code = clean(words.code+words.fault, maxCode, secrets...)
	reply.Message = clean(words.message, maxMessage, secrets...)
}

// classify returns what the members of a response prove.
func classify(status int, w words) (models.Meaning, models.Detail) {
	success := status >= 200 && status <= 299
	switch {
	case w.code != "" && w.fault != "":
		return models.MeaningUnknown, models.DetailUnknownCode // it states two outcomes
	case w.fault == errorInvalidToken:
		return models.MeaningRefused, models.DetailInvalidToken
	case w.code == codeSent && success:
		return models.MeaningAccepted, models.DetailAccepted
	case w.code == codeSent:
		// Body and status contradict each other.
		return models.MeaningUnknown, models.DetailServerError
	case w.code == codeTerminalNotFound:
		return models.MeaningRefused, models.DetailTerminalNotFound
	default:
		return models.MeaningUnknown, models.DetailUnknownCode
	}
}

// denied reports whether the status says that our access token is not good, or not
// good enough.
func denied(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

var (
	namesToken    = regexp.MustCompile(`\b` + errorInvalidToken + `\b`)
	statesSuccess = regexp.MustCompile(`"code"\s*:\s*"?0+\b`)
)

// namesInvalidToken reports whether a refusal names the token as its reason, in the
// body or in a challenge (RFC 6750, section 3), and does not state a success beside
// it.
func (got answer) namesInvalidToken() bool {
	if w, _ := parseWords(got.body); w.code == codeSent || statesSuccess.Match(got.body) {
		return false
	}
	for _, c := range got.challenges {
		if namesToken.MatchString(c) {
			return true
		}
	}
	return namesToken.Match(got.body)
}

func byStatus(status int) models.Detail {
	switch {
	case status >= 200 && status <= 299:
		return models.DetailNotJSON
	case status >= 300 && status <= 399:
		return models.DetailRedirect
	default:
		return models.DetailServerError
	}
}

// words are the members of a response that are used.
type words struct {
	code    string // of an acknowledgement or refusal
	fault   string // the member "error"
	message string // for people
}

// parseWords reads one JSON object, strictly, and reports whether it contains any of
// the members. A member counts only under its exact name, once, and as a string: a
// number 0 is not the code "00", and of two codes neither is used. Such a response
// has no documented shape, and its status decides. An empty string or null counts as
// no member.
func parseWords(body []byte) (words, bool) {
	members, err := parseObject(body)
	if err != nil {
		return words{}, false
	}
	var w words
	for name, field := range map[string]*string{"code": &w.code, "error": &w.fault} {
		if raw, ok := members[name]; ok && json.Unmarshal(raw, field) != nil {
			return words{}, false
		}
	}
	for _, name := range []string{"message", "error_description"} {
		if w.message == "" {
			_ = json.Unmarshal(members[name], &w.message) // only a text: any shape is accepted
		}
	}
	return w, w.code != "" || w.fault != ""
}

// parseObject reads the members of exactly one object with nothing after it.
// Decoding into a struct is not strict enough: it takes "Code" for "code", and the
// last of two.
func parseObject(body []byte) (map[string]json.RawMessage, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if !json.Valid(body) { // one value, whole, with nothing after it
		return nil, errors.New("not JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	members := make(map[string]json.RawMessage)
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, err
		}
		key, _ := name.(string) // all names are strings in valid JSON
		if _, twice := members[key]; twice {
			return nil, errors.New("a member twice")
		}
		members[key] = raw
	}
	return members, nil
}
