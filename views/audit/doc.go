// Package audit has the pages of the trail: its list, an entry, exports,
// verification and saved filters.
package audit
