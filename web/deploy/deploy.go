// Package deploy holds the files with which Veinte is installed: units, samples for
// proxies and containers, and alarm rules. Package setup writes the unit from here.
package deploy

import _ "embed"

// Unit is the unit for systemd, for the folders and the user that veinte setup proposes.
//
//go:embed veinte.service
var Unit string

// The words of Unit that an installation may have otherwise.
const (
	Program  = "/usr/local/bin/veinte"
	Settings = "/etc/veinte"
	State    = "/var/lib/veinte"
	User     = "veinte"
)
