// Package sales lists, searches and adds up the day's sales. It reads only; it
// must not know how a sale came in or how a cancellation moves.
package sales
