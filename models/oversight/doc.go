// Package oversight reports who cancels how much, and which of it chance does not
// explain. A number is a reason to check, not a verdict.
package oversight
