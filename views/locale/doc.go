// Package locale owns the languages: one catalogue per language, the choice
// between them, and the words for a key. It knows nothing of HTML.
//
// A key names a place and a thing ("sale.state.unknown"). Values go into
// {{.Name}}. A message with plural forms takes its number as Count.
package locale
