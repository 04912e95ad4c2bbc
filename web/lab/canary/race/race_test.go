//go:build canary

package race

import "testing"

func TestCount(t *testing.T) {
	if Count() > 2 {
		t.Error("counted twice")
	}
}
