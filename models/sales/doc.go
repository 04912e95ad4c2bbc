// Package sales lists, searches and adds up the day's sales. It only reads, and does
// not depend on how sales are recorded or how cancellations move.
package sales
