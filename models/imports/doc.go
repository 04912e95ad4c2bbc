// Package imports handles whole files: it checks them, imports them in one
// transaction after a person's confirmation, and undoes that. It does not know how a
// file is uploaded.
package imports
