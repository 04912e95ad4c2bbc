// Package backup makes a backup that says what it is and what it lacks, restores one into
// an empty database, and verifies a database that was restored, by whatever means: its
// trail, its counts, and which cancellations a server there will hold back. The work on the
// database's files is done by PostgreSQL's own tools. What is held back is decided by
// models/lineage.
package backup
