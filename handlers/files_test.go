package handlers_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"veinte/static"
)

// A browser gets the styles and scripts in the coding that it takes, made as small as they
// get; a program that takes none gets them as they are.
func TestFilesComeAsSmallAsTheyGet(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, name := range []string{"app.css", "app.js", "htmx.js", "icons.svg"} {
		whole, _, _ := static.Open(static.URL(name))
		for _, tt := range []struct{ takes, want string }{
			{"", ""},
			{"identity", ""},
			{"gzip", "gzip"},
			{"gzip, deflate, br, zstd", "br"},
		} {
			for range 2 { // when it is made, and afterwards
				a := h.visitor().get(static.URL(name), "Accept-Encoding", tt.takes)
				if got := a.header.Get("Content-Encoding"); got != tt.want {
					t.Errorf("%s for %q is coded %q, want %q", name, tt.takes, got, tt.want)
				}
				if got := a.header.Values("Vary"); strings.Join(got, "") != "Accept-Encoding" {
					t.Errorf("%s for %q varies by %q", name, tt.takes, got)
				}
				read := map[string]func(w io.Writer, p []byte) (int, error){
					"": io.Writer.Write, "br": fasthttp.WriteUnbrotli, "gzip": fasthttp.WriteGunzip,
				}[tt.want]
				var got bytes.Buffer
				if _, err := read(&got, []byte(a.body)); err != nil || !bytes.Equal(got.Bytes(), whole) {
					t.Errorf("%s for %q is %d bytes (%v), want the file's %d", name, tt.takes, got.Len(), err, len(whole))
				}
				if tt.want != "" && len(a.body)*100 > len(whole)*34 {
					t.Errorf("%s for %q travels as %d of %d bytes, want a third at most", name, tt.takes, len(a.body), len(whole))
				}
			}
		}
	}
}
