// Package passwords says whether a password is one that others try first: one of the
// most common, or one made of words that stand around it. It hashes those that are not.
// It knows no database.
package passwords

//go:generate go run generate.go
