// Package intake validates and records sales that a program, a row of a file, a
// person or a terminal reports. Packages that need to know of new sales use a hook;
// intake does not import results.
package intake
