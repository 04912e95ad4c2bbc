package trailfile

import "strings"

// Notes finds the signed checkpoints of a text, such as a file of the directory of
// checkpoints: each is a text, an empty line and its signatures, followed by another
// empty line. Anything else is skipped.
func Notes(text string) (notes []string) {
	parts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	for i := 1; i < len(parts); i++ {
		if !strings.HasPrefix(parts[i], "— ") {
			continue
		}
		said := strings.TrimLeft(parts[i-1], "\n") + "\n"
		if _, err := ParseText(said); err == nil {
			notes = append(notes, said+"\n"+strings.TrimRight(parts[i], "\n")+"\n")
		}
	}
	return notes
}
