package accounts_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

func TestMain(m *testing.M) {
	modelstest.Main(m)
}

// commandLine is who makes the first administrator and sets passwords.
var commandLine = models.System("command line", "test")
