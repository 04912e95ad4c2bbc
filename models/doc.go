// Package models is the vocabulary that every room speaks: stores, terminals,
// sales, cancellations, results, roles, actions of the trail, money and time. It
// holds types and the rules that need nothing but them. It knows nothing of SQL
// beyond the fragments that name states, nothing of HTTP or HTML, and no room.
//
// The rooms below it, each of which may import those before it and none behind:
//
//	cards           what a card number is, and how it is masked
//	database        pool, transaction, outages, cursors, advisory locks
//	audit           the trail: entries written, found and listed
//	audit/sealing   the Merkle tree and its checkpoints
//	audit/verify    proofs of entries, verification of everything
//	audit/export    the trail as files
//	audit/archive   months of the trail in files of their own
//	accounts        people, passwords, sessions
//	apikeys         keys of programs, repeated requests
//	rules           what is in force: cut-off, waits, receipts, reasons, pauses
//	terminals       stores, terminals, where each stands, health of the map
//	webhooks        endpoints and deliveries
//	sales           the day's list, search, look-up, sums
//	cancellations   the life of a cancellation; the only code that can move one
//	review          what a person has to look at
//	intake          sales from programs, files, people and terminals
//	results         what terminals post, turned into sales and evidence
//	imports         files as a whole: look, confirm, undo
//	reconciliation  a provider's day beside ours; report reads its file
//	closings        the closing report of a day
//	oversight       who cancels how much, and what stands out
//	alerts          rules that watch the trail, letters
//	savedviews      filters of lists under a name
//	operations      readiness, notices, onboarding, sweep
//	wiring          makes one of each and connects them
//
// Beside them stand leaves that know nothing of ours: crashpoint, goroutine,
// localpg, odds, secretbox, table, trail; and modelstest, which gives tests a
// database and an office.
package models
