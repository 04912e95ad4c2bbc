// Package ui has the parts of pages: the layout, navigation, parts of forms,
// components, charts, and formats of money and time. It depends on no page.
package ui
