package sandbox

import (
	"net/http"
	"strings"
)

// Operations of the service.
const (
	operationCancel  = "cancel"
	operationReprint = "reprint"
	operationToken   = "token"
	operationUnknown = "unknown"
)

// servicePaths are the suffixes of a request's path; any prefix, such as /gateway,
// may precede them.
var servicePaths = map[string]string{
	"/integration-service/transactions/cancel":  operationCancel,
	"/integration-service/transactions/reprint": operationReprint,
	"/oauth-service/oauth/token":                operationToken,
}

// Handler serves the service's operations under any prefix, and /control/.
func (s *Sandbox) Handler() http.Handler {
	control := s.controlRoutes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.dateHeader())
		for suffix, operation := range servicePaths {
			if strings.HasSuffix(r.URL.Path, suffix) {
				s.serve(newExchange(w, r, operation))
				return
			}
		}
		if strings.HasPrefix(r.URL.Path, "/control/") {
			control.ServeHTTP(w, r)
			return
		}
		s.serve(newExchange(w, r, operationUnknown))
	})
}

func (s *Sandbox) dateHeader() string { return s.now().UTC().Format(http.TimeFormat) }

// serve records a request and responds to it.
func (s *Sandbox) serve(x *exchange) {
	if p, ok := s.faults.takeUnread(x.line.Operation); ok {
		s.dropUnread(x, p)
		return
	}
	x.readBody()
	switch x.line.Operation {
	case operationToken:
		s.serveToken(x)
	case operationUnknown:
		if x.record(s) == nil {
			s.answer(x, jsonReply(http.StatusNotFound, map[string]any{"status": 404, "error": "Not Found", "path": x.r.URL.Path}), plan{})
		}
	default:
		s.serveOrder(x)
	}
}

// serveOrder checks a cancel or reprint, acknowledges it, and pushes it to
// the terminal, unless a fault says otherwise.
func (s *Sandbox) serveOrder(x *exchange) {
	received := s.now()
	x.checkHeaders("application/json")
	o, violations := parseOrder(x.body)
	x.violate(violations...)
	x.line.OrderID, x.line.SerialNumber = o.OrderID, o.SerialNumber
	reply, ok := s.check(x, o)
	var p plan
	if ok {
		p = s.planFor(x.line.Operation, o)
		x.line.Fault = p.name
	}
	if x.record(s) != nil || x.broken {
		s.sever(x)
		return
	}
	if !ok {
		s.answer(x, reply, plan{})
		return
	}
	if !wait(s.ctx, jitter(s.settings.get().Latency)) {
		s.sever(x)
		return
	}
	s.acknowledge(x, push{operation: x.line.Operation, order: o, asked: received, plan: p, request: x.seq})
}

// check returns the service's own refusals, in a gateway's order: token, method,
// body, terminal. Statuses are our choice; none is published.
func (s *Sandbox) check(x *exchange, o order) (reply, bool) {
	switch {
	case x.token == "":
		return invalidToken("Full authentication is required to access this resource"), false
	case !s.tokens.good(x.token):
		return invalidToken("Invalid access token: " + x.token), false
	case x.r.Method != http.MethodPost:
		return refused(http.StatusMethodNotAllowed, "method"), false
	case x.long:
		return refused(http.StatusRequestEntityTooLarge, "body is over 64 KB"), false
	case len(x.line.Violations) > 0:
		return refused(http.StatusBadRequest, strings.Join(x.line.Violations, "; ")), false
	}
	t, known := s.registry.terminal(o.SerialNumber)
	if known && t.MerchantID != o.StoreID {
		x.violate("storeId is not the one of this terminal")
		known = false
	}
	return replyNotFound, known
}

// acknowledge responds to a valid request and lets the terminal act, in the order
// and with the fault of the plan.
func (s *Sandbox) acknowledge(x *exchange, p push) {
	if p.plan.name == faultResultBeforeAnswer {
		s.runNow(p)
		s.answer(x, replySent, p.plan)
		return
	}
	if p.plan.name == faultSlow && !wait(s.ctx, p.plan.delay) {
		s.sever(x)
		return
	}
	if p.plan.acts {
		s.show(p)
	}
	if p.plan.name == faultExpiredToken {
		s.tokens.revoke(x.token)
	}
	s.answer(x, replySent, p.plan)
}
