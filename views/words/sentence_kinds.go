package words

import (
	"context"
	"strings"

	"veinte/models"
	"veinte/views/locale"
)

// Which of an action's sentences it is: the ends of its key, the most exact first.

func movedBy(t *tale) string {
	state, _ := t.after["state"].(string)
	switch {
	case IsPerson(t.AuditEntry) && t.ActorRole != models.Integration:
		return ".person." + state + " .person"
	case t.ActorRole == models.TerminalRole:
		return ".terminal." + state + " ." + state
	}
	return "." + state
}

func ofNoSale(t *tale) string {
	if t.SaleID == nil {
		return ".noSale"
	}
	return ""
}

// ofNoTerminal is a post to an address that no terminal has.
func ofNoTerminal(t *tale) string {
	if t.ActorRole != models.TerminalRole {
		return ".somebody"
	}
	return ""
}

func byHand(t *tale) string {
	if IsPerson(t.AuditEntry) && t.ActorRole != models.Integration {
		return ".person"
	}
	return ""
}

func exportStep(t *tale) string {
	switch t.field("exportState") {
	case "running":
		return ".running"
	case "done":
		return ".done"
	}
	return ""
}

// signedIn accuses nobody: whoever typed an address need not be whose it is.
func signedIn(t *tale) string {
	if t.ActorRole == models.Anonymous && (t.ActorName == "" || t.ActorName == "?") {
		return ".nobody"
	}
	return ""
}

func byTheSystem(t *tale) string {
	if t.ActorRole == models.SystemRole {
		return ".system"
	}
	return ""
}

// denied tells who opened a page from who sent a form, and both from what no page of
// ours sends.
func denied(t *tale) string {
	switch {
	case strings.HasPrefix(t.Reason, "results."):
		return ".results"
	case t.Reason == "error.csrf":
		return ".forged"
	case !strings.HasPrefix(requestOf(t), "GET "):
		return ".act"
	}
	return ""
}

func whatWasRead(t *tale) string {
	switch {
	case t.after["entry"] != nil:
		return ".entry"
	case t.after["stream"] != nil:
		return ".stream"
	}
	return ""
}

func verifiedBy(t *tale) string {
	if t.before["verificationState"] != nil {
		return ".end"
	}
	return ""
}

func saidByTheAlert(t *tale) string {
	if t.after["facts"] != nil {
		return ".facts"
	}
	return ""
}

// byField tells an entry apart by a field that it has.
func byField(field, which string) func(*tale) string {
	return func(t *tale) string {
		if t.field(field) != nil {
			return which
		}
		return ""
	}
}

// byFlag tells it apart by a field that is true or false.
func byFlag(field, is, isNot string) func(*tale) string {
	return func(t *tale) string {
		if on, _ := t.after[field].(bool); on {
			return is
		}
		return isNot
	}
}

// requestOf is the request that an entry is about: GET /users.
func requestOf(t *tale) string {
	if line, ok := t.after["request"].(string); ok {
		return line
	}
	return t.Reason
}

// requestedPage names the page of a request.
func requestedPage(ctx context.Context, t *tale) string {
	_, path, _ := strings.Cut(requestOf(t), " /")
	place, _, _ := strings.Cut(path, "/")
	place, _, _ = strings.Cut(place, "?")
	place, _, _ = strings.Cut(place, ".") // of a file, its page
	if key := "saying.page." + place; place != "" && locale.Has(key) {
		return locale.T(ctx, key)
	}
	return locale.T(ctx, "saying.aPage")
}

// requestedAct is what somebody wanted to do with a request: POST /review/conflicts/7 is
// saying.act.review.conflicts.
func requestedAct(ctx context.Context, t *tale) string {
	method, path, _ := strings.Cut(requestOf(t), " ")
	path, _, _ = strings.Cut(path, "?")
	var parts []string
	for _, part := range strings.Split(path, "/") {
		if part != "" && strings.Trim(part, "0123456789") != "" {
			parts = append(parts, part)
		}
	}
	key := "saying.act." + strings.Join(parts, ".")
	switch {
	case method == "GET":
		key = "saying.open"
	case !locale.Has(key):
		key = "saying.change"
	}
	return locale.T(ctx, key, "Page", requestedPage(ctx, t))
}
