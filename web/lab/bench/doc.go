// Command bench measures the product on the machine it runs on: a database with a
// million sales, the server as a process of its own, and for comparison the fastest
// hand-written handler, in the same run. Machines differ and are shared, so only the
// ratios count.
package main
