// Package seal is the experiment that kills the processes which seal the trail.
// Sealing servers and PostgreSQL itself are killed at random moments, often in the
// middle of a batch, while others write entries. In the end every entry with an
// acknowledged commit must be sealed once, in the order of commits, and every
// checkpoint that ever left the database must be a prefix of the present tree.
package seal
