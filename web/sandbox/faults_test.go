package sandbox

import "testing"

func TestFaultBookPrefersTheOrder(t *testing.T) {
	t.Parallel()
	b := &faultBook{}
	b.add(faultRule{Fault: "reset", Operation: "cancel", Times: 1})
	b.add(faultRule{Fault: "hang", Operation: "cancel", Times: 1})
	b.add(faultRule{Fault: "html", Operation: "cancel", SerialNumber: serial, Times: 1})
	b.add(faultRule{Fault: "500", Operation: "cancel", OrderID: "o-1", Times: 2})
	b.add(faultRule{Fault: "slow", Operation: "reprint", Times: -1})
	for i, want := range []string{"500", "500", "html", "reset", "hang", ""} {
		if got := b.take("cancel", "o-1", serial).name; got != want {
			t.Errorf("take %d = %q, want %q", i+1, got, want)
		}
	}
	for range 3 {
		if got := b.take("reprint", "o-1", serial).name; got != "slow" {
			t.Errorf("take for a reprint = %q, want slow without end", got)
		}
	}
	b.set(nil)
	if got := b.take("reprint", "o-1", serial); got != (plan{acts: true}) {
		t.Errorf("take after clear = %+v, want to behave", got)
	}
}

func TestPlanFor(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	faulty := b.sell(`,"fault":"declined"`)
	for _, tt := range []struct{ name, operation, order, want string }{
		{"an ordinary order", "cancel", "o-1", ""},
		{"a sale made with a fault", "cancel", faulty, "declined"},
		{"an order that names its fault", "cancel", "260310120000-1490000001-FAULT-cutBody", "cutBody"},
		{"a name nobody knows", "cancel", "o-FAULT-fire", ""},
		{"inquiries are spared", "reprint", "o-FAULT-hang", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := b.sandbox.planFor(tt.operation, order{SerialNumber: serial, OrderID: tt.order}).name; got != tt.want {
				t.Errorf("planFor(%s, %s) = %q, want %q", tt.operation, tt.order, got, tt.want)
			}
		})
	}
}

// TestEveryFaultDoesSomething finds faults that are listed but not implemented.
func TestEveryFaultDoesSomething(t *testing.T) {
	t.Parallel()
	elsewhere := []string{
		"slow", "redirect", "expiredToken", "ackNoResult", "declined", "lateResult",
		"duplicateResult", "resultBeforeAnswer", "abandoned", "wrongAmount", "wrongTerminal",
	}
	for name := range faultKinds {
		_, breaks := breakers[name]
		_, replaces := replacements[name]
		found := breaks || replaces
		for _, other := range elsewhere {
			found = found || other == name
		}
		if !found {
			t.Errorf("fault %q is listed but nothing does it", name)
		}
	}
	if len(faultKinds) != 24 {
		t.Errorf("%d faults, want 24", len(faultKinds))
	}
}
