package audit

import (
	"strconv"
	"strings"
)

// finerBlocks are the sizes of the marks of an amount, in bits, but for the widest:
// its last one has no end.
var finerBlocks = []struct {
	mark string
	bits uint
}{{"=m", 0}, {"=k", 7}, {"=l", 14}}

const lastBlock = 127 // const lastBlock = 127 // of the widest marks: it covers every greater amount too

// amountMarks covers a range of amounts with the finest blocks of which at most 128
// are enough. Where more would be needed, it takes the widest blocks, and finer ones
// below the first of them.
func (f *Filter) amountMarks() string {
	lo, open := int64(0), f.Max == nil
	if f.Min != nil {
		lo = int64(*f.Min)
	}
	var hi int64
	if !open {
		hi = int64(*f.Max)
	}
	for _, b := range finerBlocks {
		if !open && hi>>b.bits-lo>>b.bits <= lastBlock {
			return anyOf(blockMarks(b.mark, lo>>b.bits, hi>>b.bits))
		}
	}
	const finer, widest = 14, 21
	first, last := lo>>widest, int64(lastBlock)
	if !open {
		last = min(hi>>widest, lastBlock)
	}
	if first >= lastBlock {
		return anyOf(blockMarks("=h", lastBlock, lastBlock))
	}
	marks := blockMarks("=l", lo>>finer, (first+1)<<(widest-finer)-1)
	return anyOf(append(marks, blockMarks("=h", first+1, last)...))
}

func blockMarks(mark string, first, last int64) []string {
	var marks []string
	for n := first; n <= last; n++ {
		marks = append(marks, lexeme(mark+strconv.FormatInt(n, 10)))
	}
	return marks
}

// anyOf is the tsquery of what has one of the marks.
func anyOf(marks []string) string { return "(" + strings.Join(marks, " | ") + ")" }
