package main

import (
	"fmt"
	"strings"
)

// leaky is a small site of two stores. A clerk of the first is shown the second's sale by
// its number, may cancel it, and breaks a page; the list itself is right.
func leaky(clerk bool) *visitor {
	pages := map[string]string{
		"/sales":   `<a href="/sales/1">1</a><a href="/sales/2">2</a><a href="/broken/2">x</a>`,
		"/sales/1": "Centro", "/sales/2": `Norte <form class="x" method="post" action="/sales/2/cancellation">`, "/broken/2": "Norte",
	}
	v := &visitor{name: "everybody", start: []string{"/sales"}}
	if clerk {
		pages["/sales"] = `<a href="/sales/1">1</a>`
		v.name, v.foreign = "clerk", []string{"Norte"}
	}
	v.get = func(path string) (int, string) {
		if clerk && strings.HasPrefix(path, "/broken") {
			return 500, ""
		}
		return 200, pages[path]
	}
	v.post = func(string) (int, string) { return 303, "" }
	return v
}

// crawlCanary is an error unless the crawler finds all three.
func crawlCanary() error {
	clerk := leaky(true)
	own := explore(clerk)
	_, leaks := trespass(clerk, everything([]found{own, explore(leaky(false))}), own)
	text := fmt.Sprint(leaks)
	for _, want := range []string{
		"/sales/2: shows Norte", "/broken/2: answered 500", "POST /sales/2/cancellation: a form that is not theirs was answered 303",
	} {
		if !strings.Contains(text, want) {
			return fmt.Errorf("the crawler did not find %q, only %s: this is no proof of anything", want, text)
		}
	}
	if len(leaks) != 3 {
		return fmt.Errorf("the crawler found %s where there are three", text)
	}
	return nil
}
