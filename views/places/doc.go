// Package places is the pages of stores and terminals.
package places
