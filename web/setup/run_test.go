package setup

import "testing"

func TestAProgramThatDoesNotRunIsExplained(t *testing.T) {
	t.Parallel()
	said, err := run(t.Context(), nil, "/does/not/exist")
	if err == nil || said == "" {
		t.Errorf("a program that is not there: %q, %v; want words", said, err)
	}
}
