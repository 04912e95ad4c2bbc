// Package settings is the pages of administrators: rules, reasons, people and
// the connection.
package settings
