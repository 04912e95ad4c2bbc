// Package verifier is a page that verifies the trail without the product: one file that uses
// no network, for people who have no terminal. Its scripts are the third verifier of
// FORMAT.md, and share no code with the other two.
package verifier

import (
	_ "embed"
	"encoding/json"
	"strings"

	"veinte/views/locale"
)

// FileName is what the page is called where it is stored.
const FileName = "verificador-veinte.html"

// The parts of the page.
var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed crypto.js
	crypto string
	//go:embed trail.js
	trail string
	//go:embed stamp.js
	stamp string
	//go:embed strangers.js
	strangers string
	//go:embed verify.js
	verify string
	//go:embed page.js
	script string
)

// spoken are the words that the page may need, by how their keys begin: its own, and those of
// what an entry can say.
var spoken = []string{"verifier.", "action.", "outcome.", "role.", "state.", "field."}

// Page returns the page, in every language that we speak.
func Page() ([]byte, error) {
	in := map[string]map[string]string{}
	for _, lang := range locale.Languages {
		in[lang] = map[string]string{}
		for _, prefix := range spoken {
			for _, key := range locale.Keys(prefix) {
				in[lang][key] = locale.In(lang, key)
			}
		}
	}
	words, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	program := crypto + trail + stamp + strangers + verify + script
	page := strings.NewReplacer("/* style */", style, "/* words */", string(words), "/* script */", program)
	return []byte(page.Replace(frame)), nil
}
