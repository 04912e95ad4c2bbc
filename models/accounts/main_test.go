package accounts_test

import (
	"flag"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

func TestMain(m *testing.M) {
	// A failure prints its seed, which is enough to repeat it.
	_ = flag.Set("rapid.nofailfile", "true")
	_ = flag.Set("rapid.steps", "50")
	modelstest.Main(m)
}

// commandLine is who makes the first administrator and sets passwords.
var commandLine = models.System("command line", "test")
