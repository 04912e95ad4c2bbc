package results

import "context"

const terminalsOfSet = 0

func (r *run) fuzz(ctx context.Context, from int) error { return nil }
func (r *run) examineLogs() error                       { return nil }
