// Package setup is the command that installs: it makes roles, database and schema, keys,
// settings, a unit for systemd and the first administrator's invitation. What is there
// already stays as it is. It knows nothing of what the settings mean: the program checks
// them itself (veinte config).
package setup
