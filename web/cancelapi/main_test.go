package cancelapi

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a request leaves a goroutine behind: a client with one leak
// per fault would not survive a long outage of the service.
func TestMain(m *testing.M) {
	if address := os.Getenv(frozenVariable); address != "" {
		frozenChild(address)
		return
	}
	goleak.VerifyTestMain(m)
}
