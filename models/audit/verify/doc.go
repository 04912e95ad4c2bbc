// Package verify proves single entries and verifies the whole trail: entries, tree,
// checkpoints, archived months. It changes nothing but the records of its own runs.
package verify
