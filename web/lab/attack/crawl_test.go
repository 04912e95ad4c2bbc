package main

import "testing"

// TestTheCrawlerFindsALeak: a page, a form and a fault, each of which lets somebody have
// what is another store's. A crawler that misses one proves nothing about ours.
func TestTheCrawlerFindsALeak(t *testing.T) {
	t.Parallel()
	if err := crawlCanary(); err != nil {
		t.Error(err)
	}
}
