// Package ui is what pages are built of: the layout, navigation, parts of
// forms, components, charts, and formats of money and time. It knows no page.
package ui
