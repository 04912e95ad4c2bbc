package main

import (
	"cmp"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// visitor is somebody who asks: a person with a session, or a program with a key.
type visitor struct {
	name    string
	start   []string
	foreign []string               // words that stand only in what belongs to other stores
	owns    func(path string) bool // an address of what is theirs
	get     func(path string) (status int, text string)
	post    func(path string) (status int, text string) // a form, filled in as the page would
}

// found is what somebody's pages link to.
type found struct{ pages, forms []string }

// perShape is how many addresses of one kind are asked for: all pages of a list are one.
func perShape(path string) int {
	if strings.Contains(path, "?") {
		return 3
	}
	return 16
}

var (
	linked  = regexp.MustCompile(`(?:href|src|hx-get|data-src|data-href)="(/[^"]*)"`)
	posted  = regexp.MustCompile(`<form[^>]*method="post"[^>]*action="(/[^"]*)"|<form[^>]*action="(/[^"]*)"[^>]*method="post"`)
	numbers = regexp.MustCompile(`[0-9]+`)
)

// explore follows every link from where a visitor begins.
func explore(v *visitor) (f found) {
	shapes, known := map[string]int{}, map[string]bool{}
	add := func(list *[]string, path string) {
		path, _, _ = strings.Cut(html.UnescapeString(path), "#")
		if shape := shapeOf(path); !known[path] && shapes[shape] < perShape(path) && !leads(path) {
			known[path] = true
			shapes[shape]++
			*list = append(*list, path)
		}
	}
	for _, path := range v.start {
		add(&f.pages, path)
	}
	for i := 0; i < len(f.pages); i++ {
		_, text := v.get(f.pages[i])
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			add(&f.pages, m[1])
		}
		for _, m := range posted.FindAllStringSubmatch(text, -1) {
			add(&f.forms, "POST "+m[1]+m[2])
		}
	}
	return f
}

// leads reports whether an address leads out, never ends, or is for everybody: the
// examples of the API's reference look like our terminals.
func leads(path string) bool {
	path = strings.TrimPrefix(path, "POST ")
	for _, start := range []string{"/logout", "/events", "/static/", "//", "/api/docs", "/api/openapi"} {
		if strings.HasPrefix(path, start) {
			return true
		}
	}
	return false
}

// shapeOf is an address without its numbers and the values of its query.
func shapeOf(path string) string {
	path, query, _ := strings.Cut(path, "?")
	values, _ := url.ParseQuery(query)
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return numbers.ReplaceAllString(path, "N") + "?" + strings.Join(names, "&")
}

// leak is something of another store that somebody got.
type leak struct{ who, path, why string }

func (l leak) String() string { return l.who + ": " + l.path + ": " + l.why }

// trespass asks for everything that anybody's pages link to, and posts every form of
// others. It returns how many requests that were, and what came back that should not.
//
// What the addresses themselves name comes last, and is no leak then: the trail has what
// somebody asked for, and they may read it.
func trespass(v *visitor, all, own found) (asked int, leaks []leak) {
	pages := slices.Clone(all.pages)
	slices.SortStableFunc(pages, func(a, b string) int { return cmp.Compare(len(v.named(a)), len(v.named(b))) })
	for _, path := range pages {
		named := v.named(path)
		v.foreign = slices.DeleteFunc(slices.Clone(v.foreign), func(word string) bool { return slices.Contains(named, word) })
		asked++
		status, text := v.get(path)
		leaks = append(leaks, v.judge(path, status, text)...)
	}
	for _, form := range all.forms {
		path := strings.TrimPrefix(form, "POST ")
		if v.post == nil || slices.Contains(own.forms, form) || v.owns != nil && v.owns(path) {
			continue
		}
		asked++
		status, text := v.post(path)
		leaks = append(leaks, v.judge(form, status, text)...)
		if hidden := status == 403 || status == 404; numbers.MatchString(path) && !hidden {
			leaks = append(leaks, leak{v.name, form, fmt.Sprintf("a form that is not theirs was answered %d", status)})
		}
	}
	return asked, leaks
}

// named are the words of other stores that an address itself has.
func (v *visitor) named(path string) (words []string) {
	asked, _ := url.QueryUnescape(path)
	for _, word := range v.foreign {
		if strings.Contains(asked, word) {
			words = append(words, word)
		}
	}
	return words
}

// judge finds what is another store's.
func (v *visitor) judge(path string, status int, text string) (leaks []leak) {
	if status >= 500 {
		leaks = append(leaks, leak{v.name, path, "answered " + strconv.Itoa(status)})
	}
	for _, word := range v.foreign {
		if strings.Contains(text, word) {
			leaks = append(leaks, leak{v.name, path, "shows " + word})
		}
	}
	return leaks
}

// everything is what all of them found.
func everything(each []found) (all found) {
	for _, f := range each {
		all.pages, all.forms = append(all.pages, f.pages...), append(all.forms, f.forms...)
	}
	slices.Sort(all.pages)
	slices.Sort(all.forms)
	all.pages, all.forms = slices.Compact(all.pages), slices.Compact(all.forms)
	return all
}
