package witness

import "errors"

// BreakAt makes writing fail before a step: write, rename or sync; never, when it is "".
func (w *Witness) BreakAt(step string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store.fault = func(s string) error {
		if s == step {
			return errors.New("broken by a test")
		}
		return nil
	}
}
