// Package gallery shows every component and every page in all its states. Only
// the demo serves it; no page knows of it.
package gallery
