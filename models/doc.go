// Package models is the vocabulary that all packages share: stores, terminals,
// sales, cancellations, results, roles, actions of the trail, money and time. It
// holds types, and the rules that need nothing else. It contains no SQL except the
// fragments that name states, no HTTP and no HTML, and imports only cards of the
// packages below.
//
// The packages below it; each may import those listed before it, and none after:
//
//	cards           what a card number is, and how it is masked
//	addresses       the own address of each terminal
//	database        pool, transaction, outages, cursors, advisory locks
//	clocks          the time of this server, held against the database's
//	audit           the trail: entries written, found and listed
//	audit/sealing   the Merkle tree and its checkpoints
//	audit/verify    proofs of entries, verification of everything
//	audit/export    the trail as files
//	audit/archive   months of the trail in separate files
//	accounts        people, passwords, sessions
//	apikeys         keys of programs, repeated requests
//	rules           the rules in force: cut-off, waits, receipts, reasons, pauses
//	traceability    the merchant's own object in a request to the service
//	terminals       stores, terminals, assignments, health of the map
//	webhooks        endpoints and deliveries
//	sales           the day's list, search, look-up, sums
//	lineage         in which databases the installation has lived
//	evidence        what a statement does to a cancellation: a table, no SQL
//	cancellations   the states of a cancellation; no other code changes them
//	notices         what the customer of a sale is given, and no more than is known
//	review          what a person has to review, what is pending of a day
//	intake          sales from programs, files, people and terminals
//	results         what terminals post, turned into sales and evidence
//	imports         imports of whole files: check, confirm, undo
//	reconciliation  a provider's day compared with ours; report reads its file
//	closings        the closing report of a day
//	oversight       who cancels how much, and outliers
//	alerts          rules on the trail, emails
//	savedviews      saved filters of lists
//	operations      readiness, notices, onboarding, sweep
//	wiring          makes one of each and connects them
//
// The other packages import at most cards and each other: audit/trailfile,
// crashpoint, goroutine, localpg, secretbox, stats and table. modelstest gives tests a
// database with stores, terminals and people.
package models
