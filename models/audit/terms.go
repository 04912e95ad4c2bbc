package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
)

// terms is the expression that migration 00022 indexes: the words and marks by which
// an entry is found.
const terms = `audit_terms(at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
	serial_number, order_id, attempt_number, amount, before, after, reason, address)`

const (
	maxSearchWords = 12 // of a query
	wholeBelow     = 3  // characters; a shorter word is matched as a whole, because too much begins with it
)

// SearchWords splits a text into the words by which it is found, in lower case and
// without accents.
func SearchWords(s string) []string {
	return strings.FieldsFunc(models.Unaccented(strings.ToLower(s)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && (r < 0xc0 || r >= 0x2000 && r < 0x2070)
	})
}

// lexeme quotes a term for a tsquery.
func lexeme(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// wordsQuery is the tsquery of a text: every word, whole or its beginning, or a code
// that the user sees as that word; "" when there are no words.
func (f *Filter) wordsQuery() string {
	var all []string
	for _, field := range strings.Fields(f.Query) {
		words := SearchWords(field)
		if len(words) == 0 {
			continue
		}
		either := []string{"(" + strings.Join(wordTerms(words), " & ") + ")"}
		if m, err := models.ParseMoney(strings.ReplaceAll(strings.TrimPrefix(field, "$"), ",", "")); err == nil && m > 0 {
			either = append(either, lexeme(fmt.Sprintf("=m%d", m)))
		}
		if len(words) == 1 {
			either = append(either, f.orderTerms(words[0])...)
			for _, code := range f.Meanings[words[0]] {
				either = append(either, meaning(code))
			}
		}
		all = append(all, "("+strings.Join(either, " | ")+")")
	}
	return strings.Join(all, " & ")
}

// orderDays are how many days are tried for a time in an order number, up to the end of
// the filter's period or to today.
const orderDays = 100

// orderTerms are the order numbers, as terminals write them, of sales at a time of which
// somebody knows the six digits alone: a ticket shows them apart from the day before and
// the terminal behind them. The index knows words by their beginning only, and there is a
// day at the beginning of each.
func (f *Filter) orderTerms(word string) (terms []string) {
	last := f.today
	if f.To != "" {
		last = f.To
	}
	if _, err := time.Parse("150405", word); err != nil || len(word) != len("150405") || last == "" {
		return nil
	}
	last = last.Plus(1) // a clock may be ahead
	for d := last; d > last.Plus(-orderDays) && (f.From == "" || d >= f.From.Plus(-1)); d = d.Plus(-1) {
		terms = append(terms, lexeme(strings.ReplaceAll(string(d[2:]), "-", "")+word))
	}
	return terms
}

func wordTerms(words []string) []string {
	terms := make([]string, len(words))
	for i, w := range words {
		terms[i] = lexeme(w)
		if len([]rune(w)) >= wholeBelow {
			terms[i] += ":*"
		}
	}
	return terms
}

// meaning is the tsquery of a code: a mark as it is, the words of anything else.
func meaning(code string) string {
	if strings.HasPrefix(code, "=") {
		return lexeme(code)
	}
	var words []string
	for _, w := range SearchWords(code) {
		words = append(words, lexeme(w))
	}
	return "(" + strings.Join(words, " & ") + ")"
}

// maxMarked is how many alternatives a mark may have; more would cost more than
// they spare.
const maxMarked = 300

// marksQuery is the tsquery of every other filter and of the user's scope; "" when
// nothing narrows. It finds all entries that match, and may find more: the where
// clause decides.
func (f *Filter) marksQuery(actor models.Actor) string {
	var all []string
	mark := func(kind, value string) {
		if value != "" {
			all = append(all, lexeme("="+kind+value))
		}
	}
	whose := func(kind, value string) {
		if value != "" {
			all = append(all, anyOf(f.whose(kind, value)))
		}
	}
	if f.StoreID != 0 { // moves away from it are told apart by their attributes
		all = append(all, anyOf([]string{
			lexeme("=s" + number(f.StoreID)), lexeme("=a" + string(models.ActionTerminalMoved)), lexeme("=a" + string(models.ActionMovePlanned)),
		}))
	}
	whose("p", number(f.ActorID))
	mark("n", number(int64(f.Attempt)))
	mark("t", string(f.Serial))
	whose("i", f.Address)
	if isReasonCode(f.Reason) {
		mark("r", f.Reason)
	}
	if f.Min != nil || f.Max != nil {
		all = append(all, f.amountMarks())
	}
	if f.StoreID == 0 && !actor.AllStores && len(actor.StoreIDs) < maxMarked {
		scope := f.whose("p", number(actor.UserID))
		for _, id := range actor.StoreIDs {
			scope = append(scope, lexeme("=s"+number(id)))
		}
		all = append(all, anyOf(scope))
	}
	words := f.wordsQuery() != ""
	all = append(all, f.commonMarks(len(all) > 0 || words)...)
	if words && f.Action == "" && f.Reads == ReadsOut {
		all = append(all, "!"+lexeme("=w")) // a reading has the words that somebody searched for
	}
	return strings.Join(all, " & ")
}

// commonMarks are the marks that many entries have. Reading a posting list of
// millions costs more than it saves, so there are as few as possible: a pair instead
// of its halves, and the exclusion of failures instead of the mark for success.
func (f *Filter) commonMarks(beside bool) (all []string) {
	role, action, outcome := string(f.Role), string(f.Action), string(f.Outcome)
	amounts := f.Min != nil || f.Max != nil
	if amounts && outcome != "" && f.Outcome != models.OutcomeSuccess {
		all = append(all, lexeme("=q"+outcome))
	}
	switch r, a, o := role != "", action != "", outcome != ""; {
	case r && a && o:
		return append(all, lexeme("=x"+role+"/"+action), lexeme("=y"+action+"/"+outcome))
	case r && a:
		return append(all, lexeme("=x"+role+"/"+action))
	case a && o:
		return append(all, lexeme("=y"+action+"/"+outcome))
	case r && o:
		return append(all, anyOf(f.whose("z", role+"/"+outcome)))
	case a:
		return append(all, lexeme("=a"+action))
	case r:
		return append(all, anyOf(f.whose("o", role)))
	case o && len(all) == 0 && beside && f.Outcome == models.OutcomeSuccess:
		return []string{"!" + lexeme("=ufailure"), "!" + lexeme("=udenied"), "!" + lexeme("=uunknown")}
	case o && len(all) == 0:
		return []string{lexeme("=u" + outcome)}
	}
	return all
}

// whose are the marks of an actor or an origin; those of a reading are in upper
// case.
func (f *Filter) whose(kind, value string) []string {
	act, reading := lexeme("="+kind+value), lexeme("="+strings.ToUpper(kind)+value)
	switch {
	case slices.Contains(readActions, string(f.Action)):
		return []string{reading}
	case f.Action != "" || f.Reads == ReadsOut:
		return []string{act}
	}
	return []string{act, reading}
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// isReasonCode reports whether audit_terms marks such a reason.
func isReasonCode(s string) bool {
	return s != "" && len(s) <= 60 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	})
}

// finerBlocks are the sizes of the marks of an amount, in bits, but for the widest:
// its last one has no end.
var finerBlocks = []struct {
	mark string
	bits uint
}{{"=m", 0}, {"=k", 7}, {"=l", 14}}

const lastBlock = 127 // of the widest marks: it covers every greater amount too

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
