// Package clicks is the experiment in which several people very often click the same
// sale's button at once, over two servers. Each sale must get one cancellation and
// one delivery, and every response must be true.
package clicks
