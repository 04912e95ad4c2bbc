package kit

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// framingMark is set on a request whose head leaves open where its body ends, or for
// whom it is.
const framingMark = "Veinte-Framing"

// wellFramed reports whether a request's head, as it came, has one meaning only. Two
// programs that read a head differently, such as a proxy and this server, disagree
// about where the next request begins, and one of a stranger could begin inside that
// of somebody else (RFC 9112, sections 2.2, 3.2, 5.1, 5.2 and 6). What fasthttp refuses
// by itself is refused here too, so that a newer version cannot change it.
func wellFramed(h *fasthttp.RequestHeader) bool {
	target := h.RequestURI()
	// A full address is meant for proxies, and "//" begins a host for some readers.
	if len(target) == 0 || target[0] != '/' || bytes.HasPrefix(target, []byte("//")) {
		return false
	}
	lines, ok := headLines(h.RawHeaders())
	var hosts, lengths, codings int
	for _, line := range lines {
		name, value, colon := bytes.Cut(line, []byte(":"))
		if !colon || !token(name) {
			return false // a folded line begins with a space, a name may not end with one
		}
		value = bytes.Trim(value, " \t")
		switch string(bytes.ToLower(name)) {
		case "host":
			hosts++
			ok = ok && len(value) > 0
		case "content-length":
			lengths++
			ok = ok && digits(value)
		case "transfer-encoding":
			codings++
			ok = ok && bytes.EqualFold(value, []byte("chunked"))
		}
	}
	version := string(h.Protocol())
	http11 := version == "HTTP/1.1"
	ok = ok && (http11 || version == "HTTP/1.0") // others have other rules
	return ok && hosts <= 1 && (hosts == 1 || !http11) && lengths <= 1 && codings <= 1 && lengths+codings <= 1 && (http11 || codings == 0)
}

// headLines splits a head into its lines, and reports whether each ends with CR and LF
// and neither stands anywhere else.
func headLines(raw []byte) (lines [][]byte, ok bool) {
	for len(raw) > 0 {
		line, rest, found := bytes.Cut(raw, []byte("\r\n"))
		if !found || bytes.ContainsAny(line, "\r\n\x00") {
			return lines, false
		}
		if len(line) == 0 {
			return lines, len(rest) == 0
		}
		lines, raw = append(lines, line), rest
	}
	return lines, true
}

// token reports whether a name has the characters of RFC 9110, section 5.6.2, and no
// others.
func token(name []byte) bool {
	for _, c := range name {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), c) < 0 {
			return false
		}
	}
	return len(name) > 0
}

func digits(value []byte) bool {
	for _, c := range value {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(value) > 0
}

// lowered are the first parts of paths that are for programs and terminals. A person
// types the address into a terminal, which may begin with a capital.
var lowered = [][]byte{[]byte("/results/"), []byte("/api/")}

// canonical writes the first part of such a path in small letters, before any rule looks
// at it. The rest may be a secret or a number, in which a capital counts. No other path
// is spelled otherwise: routes are found by their exact letters.
func canonical(h *fasthttp.RequestHeader) {
	target := h.RequestURI()
	for _, first := range lowered {
		if len(target) >= len(first) && bytes.EqualFold(target[:len(first)], first) && !bytes.HasPrefix(target, first) {
			h.SetRequestURI(string(first) + string(target[len(first):]))
			return
		}
	}
}
