// Package results is the experiment in which a fuzzer posts as terminals do: near
// misses of real results, forged and old attempt ids, amounts and terminals of
// other sales, broken JSON, noise. Every post must be answered 200 and 00, kept
// once and read, none may move a case but those that the domain says do, and no
// card number or attempt id may be found in what is stored or logged.
//
// Terminals post to an office of the experiment's own, which passes sales on and
// holds everything else back. So bodies carry the attempt ids that only the
// terminals and the ledger know. What a body may do is said by an oracle that is
// written from the domain's page, not from the product's code. What each kind of
// result does to a case in each state is the business of the tests of models.
package results
