// Package results is the experiment in which what terminals post comes wrong:
// twice, too early, a day late, in another order, of nothing that is known, with
// an attempt id that is forged or old, with the amount or the terminal of
// another sale, and as bodies that a fuzzer made. Every post must be answered
// 200 and 00, and none may move a case but those that the domain says do.
//
// Terminals post to an office of the experiment's own, which passes sales on and
// holds everything else back. So what is delivered is what the stand-in's
// terminals really said, with the attempt ids that only they and the ledger
// know, and the ledger stays a judge: a sale that ends confirmed was canceled.
// What each kind must come to is written from the domain's page, not from the
// product's code; so is the oracle that says what a fuzzed body may do.
//
// The day after is a real one for the product: its servers are started again
// with their clock a day ahead (-tags chaos knows how), and find every row as
// the servers of the day before left it.
package results
