// Package witness tries the product's side of tlog-witness against a witness that nobody
// here wrote: litewitness, of filippo.io/torchwood, as a process of its own.
package witness
