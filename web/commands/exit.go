package commands

// ExitError ends the program with a code of its own.
type ExitError struct {
	Code int
	error
}
