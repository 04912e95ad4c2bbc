// Package views is what a person sees. Its rooms: ui (what pages are built of),
// words (what the domain means in words), the pages by area (sales, oversight,
// exchange, audit, places, settings, entrance), export (files), samples and
// gallery (of the demo), locale (catalogues). They know nothing of HTTP, forms'
// parsing or the database. This folder itself has only the tests that draw the
// pages of all rooms.
package views
