package operations_test

import (
	"context"
	"errors"
	"testing"

	"veinte/models/operations"
)

func TestAPartThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	first, last := errors.New("first"), errors.New("last")
	swept := ""
	part := func(name string, err error) operations.Sweeper {
		return func(context.Context) error {
			swept += name
			return err
		}
	}
	err := operations.Sweep(t.Context(), []operations.Sweeper{part("a", first), part("b", nil), part("c", last)})
	if swept != "abc" || !errors.Is(err, first) || !errors.Is(err, last) {
		t.Errorf("swept %s with %v, want all three with both errors", swept, err)
	}
	if err := operations.Sweep(t.Context(), []operations.Sweeper{part("d", nil)}); err != nil {
		t.Errorf("Sweep() = %v, want nothing wrong", err)
	}
}
