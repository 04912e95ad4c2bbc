package entrance_test

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

// nobody is who comes to the door, from an address.
func nobody() models.Actor { return modelstest.From("192.0.2.1") }
