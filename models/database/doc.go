// Package database is the access to PostgreSQL for all packages: the pool,
// transactions that know whether they were committed, outages, cursors, and the
// single register of advisory locks. Of the domain it uses only the vocabulary of
// package models, and no other package.
package database
