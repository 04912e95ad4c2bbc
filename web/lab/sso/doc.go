// Package sso tries the single sign-on against a real provider, run as a process of its
// own, through real HTTP.
package sso
