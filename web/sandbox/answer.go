package sandbox

import (
	"net/http"
	"strconv"
	"strings"
)

// replacements are the faults that replace the whole response.
var replacements = map[string]reply{
	"html": {
		status: http.StatusOK, contentType: "text/html; charset=utf-8",
		body: []byte("<!DOCTYPE html><html><head><title>Servicio no disponible</title></head><body><h1>Intente mas tarde</h1></body></html>\n"),
	},
	"502": {
		status: http.StatusBadGateway, contentType: "text/html",
		body: []byte("<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"),
	},
	"500": jsonReply(http.StatusInternalServerError,
		map[string]any{"status": 500, "error": "Internal Server Error", "message": "No message available"}),
	"invalidJSON": {
		status: http.StatusOK, contentType: "application/json;charset=UTF-8",
		body: []byte(`{"code":"00","message":"Mensaje enviado exi`),
	},
	"unknownCode": jsonReply(http.StatusOK, code{"77", "Respuesta no documentada"}),
	"notFound":    replyNotFound,
}

// replace returns the response of the plan's fault instead of r.
func (x *exchange) replace(r reply, p plan) reply {
	if other, ok := replacements[p.name]; ok {
		return other
	}
	switch {
	case p.name == faultExpiredToken && x.line.Operation != operationToken:
		return invalidToken("Access token expired: " + x.token)
	case p.name == "redirect":
		// 307 keeps the method and the body, so a client that follows it would send
		// its order twice, and the ledger shows that.
		return reply{
			status: http.StatusTemporaryRedirect, contentType: "text/plain",
			header: map[string]string{"Location": x.r.URL.Path + "?redirected=1"},
		}
	}
	return r
}

// answer records the response in the ledger and then sends it. The record comes
// first, so that a client with a response finds it in the ledger.
func (s *Sandbox) answer(x *exchange, r reply, p plan) {
	r = x.replace(r, p)
	breaker := breakers[p.name]
	line := entry{Kind: kindAnswer, Of: x.seq, Operation: x.line.Operation, OrderID: x.line.OrderID, Fault: p.name}
	if breaker == nil {
		line.Status, line.Answer = r.status, r.masked()
	}
	s.note(&line)
	if breaker != nil {
		breaker(s, x, r, p)
		return
	}
	x.write(s, r)
}

// note writes a ledger line that may be lost without changing state.
func (s *Sandbox) note(e *entry) {
	if _, err := s.ledger.append(e); err != nil {
		s.logger.Warn("ledger not written", "kind", e.Kind, "error", err)
	}
}

// headers sets the headers that every response has.
func (x *exchange) headers(s *Sandbox, r reply) {
	h := x.w.Header()
	h.Set("Date", s.dateHeader())
	h.Set("Content-Type", r.contentType)
	h.Set("Content-Length", strconv.Itoa(len(r.body)))
	for name, value := range r.header {
		h.Set(name, value)
	}
}

func (x *exchange) write(s *Sandbox, r reply) {
	x.headers(s, r)
	x.w.WriteHeader(r.status)
	_, _ = x.w.Write(r.body) // the client may be gone; the error does not matter
}

// reply is a response before a fault changes it.
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

// code is the JSON body of the service's responses.
type code struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// These are the documented responses. A push that was sent is not a sale that was
// canceled.
var (
	replySent     = jsonReply(http.StatusOK, code{"00", "Mensaje enviado exitosamente"})
	replyNotFound = jsonReply(http.StatusOK, code{"19", "No se encontró la terminal"})
)

// refused is our response to a request that does not follow the specification. The
// code is our choice; none is published.
func refused(status int, why string) reply {
	return jsonReply(status, code{"95", "Solicitud no valida: " + why})
}

// invalidToken repeats the token in its description where the real service may do
// so.
func invalidToken(description string) reply {
	r := oauthError(http.StatusUnauthorized, "invalid_token", description)
	if _, token, ok := strings.Cut(description, ": "); ok {
		r.secret = token
	}
	return r
}

// masked returns the body for the ledger, without the secret.
func (r reply) masked() string {
	if r.secret == "" {
		return string(r.body)
	}
	// encode wrote the token as a JSON string, so it is searched in that form.
	written := strings.Trim(string(encode(r.secret)), `"`)
	return strings.ReplaceAll(string(r.body), written, "***"+fingerprint(r.secret))
}
