//go:build canary

// Package race has two goroutines that count in one variable without a lock: what
// `make race` must find before it is believed.
package race

// Count counts to two, perhaps.
func Count() (n int) {
	done := make(chan bool)
	go func() { n++; close(done) }()
	n++
	<-done
	return n
}
