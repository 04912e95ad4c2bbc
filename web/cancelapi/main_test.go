package cancelapi

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a request leaves a goroutine behind: a client with one leak
// per fault would not survive a long outage of the service.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
