package words

// AppendText writes text with what HTML gives a meaning escaped, as
// html.EscapeString does. It fits between tags and within quoted attributes.
func AppendText(b []byte, s string) []byte {
	from := 0
	for i := range len(s) {
		var esc string
		switch s[i] {
		case '&':
			esc = "&amp;"
		case '<':
			esc = "&lt;"
		case '>':
			esc = "&gt;"
		case '"':
			esc = "&#34;"
		case '\'':
			esc = "&#39;"
		default:
			continue
		}
		b = append(b, s[from:i]...)
		b = append(b, esc...)
		from = i + 1
	}
	return append(b, s[from:]...)
}
