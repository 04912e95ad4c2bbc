// Package seal is the experiment that kills whoever seals the trail. Servers
// that seal it and PostgreSQL itself are killed at random moments, many of them
// in the middle of a batch, while others write entries. In the end every entry
// whose commit was acknowledged must be sealed once, in the order of commits,
// and every checkpoint that ever left the database must be a beginning of the
// tree that is there.
package seal
