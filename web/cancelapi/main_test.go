package cancelapi

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a request leaves a goroutine behind: a client that leaks
// one per fault would die of a bad day at the service.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
