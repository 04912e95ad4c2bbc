// Command bench measures the product on the machine it runs on: a database of
// its own with a million sales, the server as a process of its own, and beside
// it the fastest handler we can write by hand, in the same run. Machines differ
// and are shared, so what counts are the ratios.
package main
