package e2e

import "testing"

// galleryPlaces are the gallery and every state of a page that it leads to.
func galleryPlaces(t testing.TB) []place {
	t.Helper()
	p := shared.open(t, desk)
	p.goTo("/gallery")
	paths := eval[[]string](p, `[...document.querySelectorAll("[data-testid=page-state]")].map(a => a.getAttribute("href"))`)
	if len(paths) < 120 {
		t.Fatalf("the gallery leads to %d pages, want every state of every page", len(paths))
	}
	places := []place{{name: "gallery", path: "/gallery"}}
	for _, path := range paths {
		places = append(places, place{name: "gallery-" + path[len("/gallery?page="):], path: path})
	}
	return places
}

// Every component and every state fits every screen, and keeps nobody out, in
// each language.
func TestGallery(t *testing.T) {
	t.Parallel()
	checkPages(t, shared, galleryPlaces(t), galleryViews)
}
