// Package secretbox encrypts what must be kept and not read: addresses and
// secrets of endpoints, bodies as they came. It imports nothing of ours.
package secretbox
