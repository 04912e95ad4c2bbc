// Package samples makes pages without a database: a shop, its day and the life
// of its sales. Only the gallery and tests know it.
package samples
