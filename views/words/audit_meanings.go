package words

import (
	"slices"
	"strings"
	"sync"

	"veinte/models"
	"veinte/models/audit"
	"veinte/views/locale"
)

// The trail keeps codes; people read words. What a word of a query may stand for
// is looked up in the catalogues, so that "rechazada" finds what was rejected,
// and so does "rejected".

// markedWords says which mark of an entry the words below a catalogue's prefix
// stand for; "" are codes among its values.
var markedWords = []struct{ prefix, mark string }{
	{"action.", "=a"},
	{"outcome.", "=u"},
	{"role.", "=o"},
	{"reason.", "=r"},
	{"case.", ""},
	{"state.", ""},
	{"detail.", ""},
	{"conflict.", ""},
	{"standing.", ""},
	{"resultStatus.", ""},
	{"importKind.", ""},
}

// maxMeanings is how many codes a word may stand for. One of more says nothing.
const maxMeanings = 25

// knownWords are the words of every catalogue, sorted, each with a code.
var knownWords = sync.OnceValue(func() []codedWord {
	var all []codedWord
	for _, m := range markedWords {
		for _, key := range locale.Keys(m.prefix) {
			code := strings.TrimPrefix(key, m.prefix)
			for _, lang := range locale.Languages {
				all = append(all, wordsOf(locale.In(lang, key), m.mark+code)...)
			}
		}
	}
	return sortWords(all)
})

type codedWord struct{ word, code string }

func wordsOf(text, code string) []codedWord {
	var all []codedWord
	for _, w := range audit.SearchWords(text) {
		if len(w) > 3 || !littleWords[w] {
			all = append(all, codedWord{w, code})
		}
	}
	return all
}

// littleWords are in every sentence.
var littleWords = map[string]bool{
	"de": true, "la": true, "el": true, "en": true, "un": true, "una": true, "los": true, "las": true, "por": true, "que": true, "con": true,
	"del": true, "al": true, "se": true, "no": true, "y": true, "a": true, "o": true, "su": true, "the": true, "of": true, "and": true,
	"to": true, "in": true, "was": true, "for": true, "it": true, "is": true, "an": true, "by": true, "lo": true, "sin": true,
}

func sortWords(all []codedWord) []codedWord {
	slices.SortFunc(all, func(a, b codedWord) int {
		return strings.Compare(a.word+"\x00"+a.code, b.word+"\x00"+b.code)
	})
	return slices.Compact(all)
}

// Meanings are the codes that each word of a query may stand for, the reasons'
// own labels included.
func Meanings(query string, reasons []models.Reason) map[string][]string {
	words := audit.SearchWords(query)
	if len(words) == 0 {
		return nil
	}
	var own []codedWord
	for i := range reasons {
		own = append(own, wordsOf(reasons[i].LabelES+" "+reasons[i].LabelEN, "=r"+reasons[i].Code)...)
	}
	own = sortWords(own)
	meanings := map[string][]string{}
	for _, w := range words {
		if len(w) < 3 || littleWords[w] {
			continue
		}
		codes := append(beginningWith(knownWords(), w), beginningWith(own, w)...)
		slices.Sort(codes)
		if codes = slices.Compact(codes); len(codes) <= maxMeanings {
			meanings[w] = codes
		}
	}
	return meanings
}

// beginningWith returns the codes of sorted words that begin with w.
func beginningWith(all []codedWord, w string) []string {
	i, _ := slices.BinarySearchFunc(all, w, func(c codedWord, w string) int { return strings.Compare(c.word, w) })
	var codes []string
	for ; i < len(all) && strings.HasPrefix(all[i].word, w); i++ {
		codes = append(codes, all[i].code)
	}
	return codes
}
