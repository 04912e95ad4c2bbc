package handlers_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestAPhoneKeepsItAsAnApp follows the manifest as a browser does: it is read by everybody,
// its icons are there in the sizes that it says, and it opens the product.
func TestAPhoneKeepsItAsAnApp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	login := h.visitor().get("/login").want(200)
	link := regexp.MustCompile(`<link rel="manifest" href="([^"]+)"`).FindStringSubmatch(login.body)
	if link == nil {
		t.Fatal("the sign-in page names no manifest")
	}
	p := h.visitor().get(link[1]).want(200)
	if got := p.header.Get("Content-Type"); got != "application/manifest+json" {
		t.Errorf("the manifest is %q", got)
	}
	var m struct {
		Name, Display string
		Start         string `json:"start_url"`
		Icons         []struct{ Src, Sizes, Type, Purpose string }
	}
	if err := json.Unmarshal([]byte(p.body), &m); err != nil {
		t.Fatal(err)
	}
	if m.Name != "Veinte" || m.Display != "standalone" || m.Start != "/" {
		t.Errorf("the manifest says %+v", m)
	}
	purposes := map[string]bool{}
	for _, icon := range m.Icons {
		purposes[icon.Purpose+" "+icon.Sizes] = true
		got := h.visitor().get(icon.Src).want(200)
		// https://www.w3.org/TR/png-3/: width and height stand 16 bytes in.
		width, height := got.body[16:20], got.body[20:24]
		side := strings.Split(icon.Sizes, "x")[0]
		if want := map[string]string{"192": "\x00\x00\x00\xc0", "512": "\x00\x00\x02\x00"}[side]; width != want || height != want {
			t.Errorf("the icon of %s is %q wide and %q high", icon.Sizes, width, height)
		}
		if got.header.Get("Content-Type") != "image/png" || got.header.Get("Content-Encoding") != "" {
			t.Errorf("the icon of %s comes as %v", icon.Sizes, got.header)
		}
	}
	for _, want := range []string{"any 192x192", "any 512x512", "maskable 512x512"} {
		if !purposes[want] {
			t.Errorf("no icon is %s", want)
		}
	}
}

// TestTheCameraIsForTheSearchAlone: no other page, and nothing that comes by itself, may ask
// for it.
func TestTheCameraIsForTheSearchAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, sale := h.manager(), h.Sale(5000)
	const policy = "Permissions-Policy"
	if got := v.get("/sales").want(200).header.Get(policy); !strings.Contains(got, "camera=(self)") {
		t.Errorf("the list's policy is %q, want the camera for itself", got)
	}
	for _, path := range []string{"/login", "/sales?fragment=list", fmt.Sprintf("/sales/%d", sale.ID), "/sales/new", "/account"} {
		if got := v.get(path).header.Get(policy); !strings.Contains(got, "camera=()") {
			t.Errorf("the policy of %s is %q, want no camera", path, got)
		}
	}
	if got := v.post("/language", url.Values{"language": {"en"}}).header.Get(policy); !strings.Contains(got, "camera=()") {
		t.Errorf("the policy of what was posted is %q, want no camera", got)
	}
}
