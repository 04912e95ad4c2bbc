package sandbox

import (
	"net/http"
	"strings"
)

// reply is an answer before any fault has spoiled it.
type reply struct {
	status      int
	contentType string
	header      map[string]string
	body        []byte
	secret      string // a token in the body, masked in the ledger
}

func jsonReply(status int, body any) reply {
	return reply{status: status, contentType: "application/json;charset=UTF-8", body: encode(body)}
}

// code is the shape of the service's own answers.
type code struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The documented answers. A push that was sent is not a sale that was canceled.
var (
	replySent     = jsonReply(http.StatusOK, code{"00", "Mensaje enviado exitosamente"})
	replyNotFound = jsonReply(http.StatusOK, code{"19", "No se encontró la terminal"})
)

// refused is how we say that a request is not as specified. The code is our
// own; nothing is published.
func refused(status int, why string) reply {
	return jsonReply(status, code{"95", "Solicitud no valida: " + why})
}

// invalidToken repeats the token in its text where the real service can do so.
func invalidToken(description string) reply {
	r := oauthError(http.StatusUnauthorized, "invalid_token", description)
	if _, token, ok := strings.Cut(description, ": "); ok {
		r.secret = token
	}
	return r
}

// masked is the body as the ledger may keep it.
func (r reply) masked() string {
	if r.secret == "" {
		return string(r.body)
	}
	// encode wrote the token into a JSON string, so that is how it reads there.
	written := strings.Trim(string(encode(r.secret)), `"`)
	return strings.ReplaceAll(string(r.body), written, "***"+fingerprint(r.secret))
}
