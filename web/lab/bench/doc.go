// Package bench holds the benchmarks of the program as its users meet it: a server as
// a process of its own, PostgreSQL that writes through to the disk, and load over
// loopback. VEINTE_BIN names the program (else it is built), VEINTE_OLD_BIN another
// build that is measured in turns with it. An iteration is a round, in which each
// build is measured once; a figure is the median of its rounds:
//
//	go test ./bench -run '^$' -bench Pages -benchtime 1x -timeout 0
//
// It knows the program's command line, its pages and its tables, and prepares its
// databases with the packages below models. Machines differ and are shared, so only
// ratios count.
package bench
