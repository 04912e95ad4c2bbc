package ui

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"veinte/views/locale"
)

type blockedKey struct{}

// blocked is a name that no page shows, and what stands in its place.
type blocked struct{ name, word []byte }

// WithBlocked has pages that are drawn with the context show neutral words instead of
// names, which are given with whose they are.
func WithBlocked(ctx context.Context, names map[string]int64) context.Context {
	if len(names) == 0 {
		return ctx
	}
	var all []blocked
	for name, id := range names {
		all = append(all, blocked{[]byte(templ.EscapeString(name)), []byte(BlockedWord(ctx, id))})
	}
	slices.SortFunc(all, func(a, b blocked) int { // the longest first: one name may stand within another
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), bytes.Compare(a.name, b.name))
	})
	return context.WithValue(ctx, blockedKey{}, all)
}

// BlockedWord is what pages show instead of a person's name.
func BlockedWord(ctx context.Context, id int64) string {
	return locale.T(ctx, "person.blocked", "N", id)
}

// FirstName is what a list says of a person.
func FirstName(ctx context.Context, name string) string {
	all, _ := ctx.Value(blockedKey{}).([]blocked)
	for _, b := range all {
		if string(b.name) == templ.EscapeString(name) {
			return string(b.word)
		}
	}
	first, _, _ := strings.Cut(name, " ")
	return first
}

// HideBlocked replaces the names in a page: in its text, and in attributes that are text
// as well. It does so in what was drawn, because a name may stand anywhere, such as in a
// note or in what an entry says of a change. Fields keep what they hold: they are sent
// back. It returns nil when no name is there.
func HideBlocked(ctx context.Context, page []byte) []byte {
	all, _ := ctx.Value(blockedKey{}).([]blocked)
	if !slices.ContainsFunc(all, func(b blocked) bool { return bytes.Contains(page, b.name) }) {
		return nil
	}
	hidden := make([]byte, 0, len(page)+64)
	for len(page) > 0 {
		text, rest := page, []byte(nil)
		if tag := bytes.IndexByte(page, '<'); tag >= 0 {
			text, rest = page[:tag], page[tag:]
		}
		hidden, page = append(hidden, hideIn(text, all)...), rest
		end := tagEnd(page)
		tag := page[:end]
		hidden, page = append(hidden, hideInTag(tag, all)...), page[end:]
		if bytes.HasPrefix(tag, []byte("<textarea")) {
			field := max(bytes.IndexByte(page, '<'), 0)
			hidden, page = append(hidden, page[:field]...), page[field:]
		}
	}
	return hidden
}

// tagEnd is how long the tag at the beginning is; 0 when there is none.
func tagEnd(page []byte) int {
	if len(page) == 0 {
		return 0
	}
	if end := bytes.IndexByte(page, '>'); end >= 0 { // templ writes &gt; in values
		return end + 1
	}
	return len(page)
}

// attribute finds those with a value.
var attribute = regexp.MustCompile(`[ \n\t]([a-z-]+)="([^"]*)"`)

// notText are attributes that a program reads: what is sent back, and where to.
var notText = []string{"value", "href", "action", "formaction", "id", "name", "for", "class", "src"}

func hideInTag(tag []byte, all []blocked) []byte {
	return attribute.ReplaceAllFunc(tag, func(a []byte) []byte {
		name, value, _ := bytes.Cut(a[1:], []byte("="))
		if slices.Contains(notText, string(name)) || bytes.HasPrefix(name, []byte("hx-")) {
			return a
		}
		return slices.Concat(a[:1], name, []byte("="), hideIn(value, all))
	})
}

// hideIn replaces the names where they stand as words of their own.
func hideIn(text []byte, all []blocked) []byte {
	for _, b := range all {
		for from := 0; ; {
			at := bytes.Index(text[from:], b.name)
			if at < 0 {
				break
			}
			at += from
			before, _ := utf8.DecodeLastRune(text[:at])
			after, _ := utf8.DecodeRune(text[at+len(b.name):])
			if from = at + len(b.name); inWord(before) || inWord(after) {
				continue
			}
			text = slices.Concat(text[:at], b.word, text[from:])
			from = at + len(b.word)
		}
	}
	return text
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
