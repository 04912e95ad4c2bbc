// Package audit is the pages of the trail: its list, an entry, exports,
// verification and filters that are saved.
package audit
