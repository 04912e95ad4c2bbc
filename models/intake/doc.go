// Package intake records sales that a program, a row of a file, a person or a
// terminal reports, and judges what they say. Who waits for new sales is told
// by a hook; it must not know results.
package intake
