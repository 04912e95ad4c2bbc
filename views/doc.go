// Package views draws what a user sees. Its packages are ui (the parts of pages),
// words (the domain in words), the pages by area (sales, oversight, exchange, audit,
// places, settings, entrance), export (files), samples and gallery (for the demo)
// and locale (catalogues). They depend on neither HTTP, the parsing of forms nor the
// database. This folder itself has only the tests that draw the pages of all
// packages.
package views
