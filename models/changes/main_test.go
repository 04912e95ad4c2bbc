package changes_test

import (
	"testing"

	"veinte/models/modelstest"
)

func TestMain(m *testing.M) { modelstest.Main(m) }
