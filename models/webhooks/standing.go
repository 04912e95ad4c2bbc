package webhooks

import (
	"context"
	"fmt"
	"time"
)

// EndpointHealth measures the deliveries to an endpoint, for monitoring.
type EndpointHealth struct {
	Name    string
	Kind    EndpointKind
	State   EndpointState
	Waiting int64
	Age     time.Duration // of the oldest waiting delivery; 0: none waits
	Failing time.Duration // since the last success; 0: the last delivery succeeded
	Failed  int64         // abandoned or set aside, of those still stored
}

// EndpointHealth measures every endpoint that is in use.
func (d *Service) EndpointHealth(ctx context.Context) ([]EndpointHealth, error) {
	var endpoints []Endpoint
	g := d.db.Gorm().WithContext(ctx)
	if err := g.Where("state <> ?", EndpointRetired).Order("id").Find(&endpoints).Error; err != nil {
		return nil, fmt.Errorf("list endpoints: %w", err)
	}
	waiting, err := d.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	var failed []struct{ EndpointID, Failed int64 }
	err = g.Raw(`SELECT endpoint_id, count(*) AS failed FROM deliveries
		WHERE state IN ` + deliveriesEndedSQL + ` GROUP BY endpoint_id`).Scan(&failed).Error
	if err != nil {
		return nil, fmt.Errorf("count what failed: %w", err)
	}
	failures := map[int64]int64{}
	for _, f := range failed {
		failures[f.EndpointID] = f.Failed
	}
	now := d.clock.Now()
	all := make([]EndpointHealth, len(endpoints))
	for i, e := range endpoints {
		s := EndpointHealth{Name: e.Name, Kind: e.Kind, State: e.State, Waiting: waiting[e.ID].Waiting, Failed: failures[e.ID]}
		if s.Waiting > 0 {
			s.Age = max(now.Sub(waiting[e.ID].Oldest), 0)
		}
		if e.FailingSince != nil {
			s.Failing = max(now.Sub(*e.FailingSince), 0)
		}
		all[i] = s
	}
	return all, nil
}
