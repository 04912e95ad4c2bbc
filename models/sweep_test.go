package models_test

import (
	"context"
	"errors"
	"testing"

	"veinte/models"
)

func TestAPartThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	first, last := errors.New("first"), errors.New("last")
	swept := ""
	part := func(name string, err error) models.Sweeper {
		return func(context.Context) error {
			swept += name
			return err
		}
	}
	err := models.Sweep(t.Context(), []models.Sweeper{part("a", first), part("b", nil), part("c", last)})
	if swept != "abc" || !errors.Is(err, first) || !errors.Is(err, last) {
		t.Errorf("swept %s with %v, want all three with both errors", swept, err)
	}
	if err := models.Sweep(t.Context(), []models.Sweeper{part("d", nil)}); err != nil {
		t.Errorf("Sweep() = %v, want nothing wrong", err)
	}
}
