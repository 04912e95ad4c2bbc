// Package seal draws what a paper carries of the trail: how long it was, its root and when
// that was signed, and the same signed for a camera. Whoever has the paper can show later
// whether the trail still begins so.
package seal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rsc.io/qr"
)

// View is a checkpoint as a paper shows it.
type View struct {
	Size     int64 // entries
	Root     string
	SealedAt time.Time
	// Note is the checkpoint with one signature, as veinte audit verify --checkpoint takes it.
	Note string
}

// quiet is the empty space around a QR code, in modules, that ISO/IEC 18004 asks for.
const quiet = 4

// cell is a text's QR code as a template takes it.
func cell(text string) (size, path string) {
	n, path := Path(text)
	return strconv.Itoa(n), path
}

// Path returns a text's QR code as an SVG path over a square of that size, each module one
// unit; 0 when the text is too long for one. The level M corrects a smudge on paper.
func Path(text string) (size int, path string) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return 0, ""
	}
	var b strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	return code.Size + 2*quiet, b.String()
}
