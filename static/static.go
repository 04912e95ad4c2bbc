// Package static owns what browsers load besides the pages: styles, scripts, icons.
// Everything is embedded. It knows nothing of HTTP or of the pages.
//
// A name contains the hash of its content (app.1f2e3d4c.css), so the files that
// Open returns may be cached for ever: Cache-Control: public, max-age=31536000,
// immutable.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// FS holds the sources: styles and scripts in pieces, vendored files whole.
//
//go:embed css/*.css js/*.js app/*.png vendor icons.svg faces.svg favicon.svg
var FS embed.FS

// Prefix begins every address that URL returns.
const Prefix = "/static/"

// bundles are the files that browsers request, with the pieces of each. Styles are
// split because the layers are easier to read apart. Browsers get one file, because
// each request on a shop's phone line costs more than bytes. The counter's pages
// load app.css alone; styles that only the office uses are in another bundle.
var bundles = map[string][]string{
	"app.css": {
		"css/tokens.css", "css/reset.css", "css/base.css", "css/layout.css",
		"css/surfaces.css", "css/controls.css", "css/forms.css", "css/tables.css", "css/chips.css", "css/sheet.css", "css/bulk.css",
		"css/timeline.css",
		"css/places.css", "css/sales.css", "css/detail.css", "css/phone.css", "css/cards.css", "css/print.css",
	},
	"office.css": {
		"css/lists.css", "css/audit.css", "css/imports.css", "css/reconciliation.css", "css/oversight.css", "css/docs.css", "css/exports.css",
	},
	"charts.css":  {"css/charts.css"},
	"gallery.css": {"css/gallery.css"},
	"first.css":   {"css/first.css"},
	"help.css":    {"css/help.css"},
	"paper.css":   {"css/paper.css"},
	"slip.css":    {"css/slip.css"},
	"counter.css": {"css/counter.css"},
	"send.js":     {"js/send.js"},
	"ticket.js":   {"js/ticket.js"},
	"passkey.js":  {"js/passkey.js"},
	"counter.js":  {"js/counter.js"},
	"inbox.js":    {"js/inbox.js"},
	"mended.js":   {"js/mended.js"},
	"stores.js":   {"js/stores.js"},
	"scan.js":     {"js/scan.js"},
	"compare.js":  {"js/compare.js"},
	"scan.css":    {"css/scan.css"},
	"bar.css":     {"css/bar.css"},
	"htmx.js":     {"vendor/htmx-2.0.11.min.js", "vendor/idiomorph-ext-0.8.0.min.js", "js/htmx.js"},
	"app.js": {
		"js/rows.js", "js/countdown.js", "js/live.js", "js/hold.js", "js/motion.js", "js/sheet.js", "js/bulk.js", "js/forms.js",
		"js/keys.js", "js/find.js",
	},
	"icons.svg":   {"icons.svg"},
	"faces.svg":   {"faces.svg"},
	"favicon.svg": {"favicon.svg"},
	// Of the app on a phone: the icon, and as one that the phone cuts to its own shape.
	"small.png": {"app/small.png"}, "large.png": {"app/large.png"},
	"maskable.png": {"app/maskable.png"}, "touch.png": {"app/touch.png"},
}

var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".webp": "image/webp", ".png": "image/png", ".webmanifest": "application/manifest+json",
}

var urls, files = build()

func build() (map[string]string, map[string][]byte) {
	urls, files := make(map[string]string), make(map[string][]byte)
	add := func(name string, data []byte) {
		url := hashedURL(name, data)
		urls[name], files[url] = url, data
	}
	for name, pieces := range bundles {
		var b bytes.Buffer
		for _, piece := range pieces {
			data, err := fs.ReadFile(FS, piece)
			if err != nil {
				panic(err) // a name in the table above that is not embedded
			}
			switch path.Ext(piece) {
			case ".js":
				if !strings.HasPrefix(piece, "vendor/") {
					data = withoutComments(data)
				}
			case ".css":
				data = cssSpace.ReplaceAllFunc(cssComments.ReplaceAll(data, []byte("\n")), bare)
			}
			b.Write(data)
			if path.Ext(piece) != ".png" {
				b.WriteByte('\n')
			}
		}
		add(name, b.Bytes())
	}
	add("app.webmanifest", manifest(urls))
	return urls, files
}

// cssComments are what only people read in a style: comments, and what lines begin with.
var cssComments = regexp.MustCompile(`(?s)\s*/\*.*?\*/\s*|\n\s+`)

// cssSpace is what stands around the signs of a style, and texts, which stay as they are.
var cssSpace = regexp.MustCompile(`"[^"]*"|\s*[{};,]\s*|:\s+`)

func bare(sign []byte) []byte {
	if sign[0] == '"' {
		return sign
	}
	return bytes.TrimSpace(sign)
}

// withoutComments takes what only people read out of a script: comments, and what lines
// begin with. A phone in a shop loads the rest.
func withoutComments(script []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(script) {
		if line = bytes.TrimLeft(line, " "); !bytes.HasPrefix(line, []byte("//")) {
			b.Write(lineComment.ReplaceAll(line, nil))
		}
	}
	return b.Bytes()
}

// lineComment is one behind code. What has a quotation mark in it may be a text.
var lineComment = regexp.MustCompile("(?m) +// [^\"'`\n]*$")

// hashedURL returns the address of a file with this content.
func hashedURL(name string, content []byte) string {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:4]) + ext
}

// Add adds a file that begins with what only the pages know, before bundle. It is for
// initialization: nothing else may be reading.
func Add(name string, begins []byte, bundle string) {
	data := slices.Concat(begins, files[URL(bundle)])
	url := hashedURL(name, data)
	urls[name], files[url] = url, data
}

// URL returns the address of a bundle, such as app.css. It panics for an unknown
// name; a test that renders the page finds such a mistake.
func URL(name string) string {
	url, ok := urls[name]
	if !ok {
		panic("static: no file " + name)
	}
	return url
}

// otherHash finds the name of a file in an address.
var otherHash = regexp.MustCompile(`^` + Prefix + `(.+)\.[0-9a-f]{8}(\.[a-z]+)$`)

// Current returns the address at which a file is now, of one that another version of the
// program gave it: servers of two versions serve side by side while one is upgraded, and a
// page of one asks the other for its styles.
func Current(address string) (current string, ok bool) {
	m := otherHash.FindStringSubmatch(address)
	if m == nil {
		return "", false
	}
	current, ok = urls[m[1]+m[2]]
	return current, ok
}

// Open returns the file at an address that URL returned, and its content type. It
// knows only addresses with the current hash.
func Open(address string) (data []byte, contentType string, ok bool) {
	data, ok = files[address]
	if !ok {
		return nil, "", false
	}
	return data, types[path.Ext(address)], true
}
