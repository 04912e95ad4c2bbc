// Package locale has the languages: one catalogue per language, the choice between
// them, and the text of a key. It produces no HTML.
//
// A key names a place and a thing ("sale.state.unknown"). Values go into {{.Name}}.
// A message with plural forms takes its number as Count.
package locale
