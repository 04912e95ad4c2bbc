// Package oversight says who cancels how much, and what of it chance does not
// explain. A number is a reason to look, never a verdict.
package oversight
