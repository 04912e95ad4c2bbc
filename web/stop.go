package web

import (
	"context"
	"errors"
	"time"

	"veinte/models/goroutine"
	"veinte/web/commands"
)

// stopMargin is how much longer than the service's answer may take a server that stops
// waits for what is under way, and how long before that it breaks off downloads.
const stopMargin = 5 * time.Second

// lastTime is how long it may then take to record that the server stops.
const lastTime = 5 * time.Second

// lastSealTime is how long a server that stops waits for its last entries to be sealed.
const lastSealTime = 5 * time.Second

// stop turns readiness red and takes no more jobs. The listener stays open for the delay,
// so that nobody is sent here who is not answered. Then requests and attempts that are
// under way may end.
func (s *server) stop(delay time.Duration) error {
	grace := s.services.Rules.Waits().Answer + stopMargin
	s.draining.Store(true)
	close(s.stopping)
	s.log.Info("stopping: a second signal ends it at once", "listens", delay, "waitsAtMost", delay+grace)
	attempts, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	deliveries := goroutine.Result(s.log, "stopping deliveries", func() error { return s.deliverer.Stop(attempts) })
	work := goroutine.Result(s.log, "stopping jobs", func() error { return s.workers.Stop(attempts) })
	<-time.After(delay)
	s.events.Stop()
	requests, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	files := time.AfterFunc(grace-stopMargin, func() { close(s.ending) })
	defer files.Stop()
	err := errors.Join(s.app.ShutdownWithContext(requests), <-deliveries, <-work)
	last, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	err = errors.Join(err, s.admin.Shutdown(last))
	s.sealing.Wait()
	if err := s.services.Audit.FlushRefusals(last, true); err != nil {
		s.log.Warn("the trail is not told how many refusals there were at last", "error", err)
	}
	if err := s.services.Operations.ServerStopped(last, commands.Operator(), version); err != nil {
		s.log.Warn("the trail is not told that the server stops", "error", err)
	}
	if err := s.seals.SealAll(context.Background(), lastSealTime); err != nil {
		s.log.Warn("the last entries are not sealed; the next server does it", "error", err)
	}
	traces, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	if err := s.tracer.Close(traces); err != nil {
		s.log.Warn("the last traces are not sent", "error", err)
	}
	return err
}

// ready reports why this process cannot do its work at the moment; nil when it can.
func (s *server) ready(ctx context.Context) error {
	if s.draining.Load() {
		return errStopping
	}
	return s.services.Operations.Ready(ctx)
}

var errStopping = errors.New("stopping")

// probe reports why this process should get no requests; nil when it should. Before it has
// started nothing answers. What else is out, /healthz and the pages say: sending people
// elsewhere would mend none of it.
func (s *server) probe(context.Context) error {
	if s.draining.Load() {
		return errStopping
	}
	return s.services.Operations.Away()
}
