// Package e2e holds the tests that drive the built program with a real browser: a
// day per role, with and without JavaScript, by pointer and by keyboard, on a phone
// and on a desktop, and axe on every page.
//
// It knows the product only from outside: its command line, its pages by their
// data-testid, and the sandbox's control endpoints. VEINTE_BIN names a program
// to test (else it is built), CHROME_BIN a browser (else the PATH is searched),
// SHOTS a directory for screenshots of every page.
package e2e
