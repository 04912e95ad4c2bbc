// Package places has the pages of stores and terminals.
package places
