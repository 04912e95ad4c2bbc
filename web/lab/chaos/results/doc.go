// Package results is the experiment in which a fuzzer posts like a terminal: near
// misses of real results, forged and old attempt ids, amounts and terminals of other
// sales, broken JSON, noise. Every post must get 200 and 00, be stored once and be
// read. It may change a cancellation only where the domain allows it: no post without
// the id of an attempt ends one. No card number or attempt id may be found in the
// database or the logs.
//
// Terminals post to a receiver of the experiment, which forwards sales and holds
// everything else. So bodies contain the attempt ids that only the terminals and the
// ledger know. The oracle for a body's effect is written from the domain's page, not
// from the product's code. The effect of each kind of result in each state of a
// cancellation is covered by the tests of models.
package results
