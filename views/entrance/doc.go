// Package entrance is the pages that come first: signing in and help.
package entrance
