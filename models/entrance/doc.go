// Package entrance lets people in: it judges passwords, second steps and what a provider
// says, limits guesses, and keeps sessions and the devices on which they began.
package entrance
