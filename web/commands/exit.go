package commands

// ExitError ends the program with a specific exit code.
type ExitError struct {
	Code int
	error
}
