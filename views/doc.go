// Package views is what a person sees: pages as templ components, the view
// models they take, and formats of money and time. A view model carries
// everything its page shows; the language comes with the context
// (locale.With). It knows nothing of HTTP, forms' parsing or the database.
package views
