// Package race is empty but for the canary of `make race`.
package race
