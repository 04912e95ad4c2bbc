package handlers_test

import (
	"testing"

	"veinte/handlers"
	"veinte/views/gallery"
)

// The demo shows every component to anyone; no other server has such a page.
func TestGallery(t *testing.T) {
	t.Parallel()
	demo := newHouse(t, func(c *handlers.Config) { c.Demo, c.Gallery = true, gallery.GalleryPage })
	for _, v := range []*visitor{demo.visitor(), demo.manager()} {
		v.get("/gallery").want(200).says("Enviada a la terminal")
		v.get("/gallery?page=story-unknown").want(200).one("story")
		v.get("/gallery?page=sheet").want(200).one("cancel-form")
		v.get("/gallery?page=none").want(404)
	}
	shop := newHouse(t)
	for _, v := range []*visitor{shop.visitor(), shop.manager()} {
		v.get("/gallery").want(404)
		v.get("/gallery?page=sheet").want(404)
	}
}
