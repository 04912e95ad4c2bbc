// Package secretbox encrypts data that must be stored but must not be readable:
// addresses and secrets of endpoints, and bodies as received. It imports no other
// package of this module.
package secretbox
