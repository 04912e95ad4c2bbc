package localpg

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"veinte/models/goroutine"
)

// superuser is the only role of a new server.
const superuser = "postgres"

// launch starts the server and waits until it accepts connections. A process of a
// killed program may still be shutting down in our data directory where heal cannot
// detect it. In that case launch heals and tries again.
func (s *Server) launch(ctx context.Context, o Options) error {
	for {
		err := s.tryLaunch(ctx, o)
		if err == nil || !occupied(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
		if err := s.heal(ctx); err != nil {
			return err
		}
	}
}

// occupied recognises the server's message that another server uses its directory.
func occupied(err error) bool {
	text := err.Error()
	return strings.Contains(text, `lock file "postmaster.pid" already exists`) ||
		strings.Contains(text, "pre-existing shared memory block")
}

func (s *Server) tryLaunch(ctx context.Context, o Options) error {
	if err := s.log.mark(); err != nil {
		return err
	}
	c, err := spawn(s.command("postgres", arguments(s.home.dataDir(), s.socketDir, o)...))
	if err != nil {
		return err
	}
	if err := s.waitReady(ctx, c); err != nil {
		return err
	}
	s.child = c
	goroutine.Go(s.logger, "watching postgres", s.watch)
	return nil
}

// waitReady waits until the child accepts connections. When it returns an error the
// child has ended.
func (s *Server) waitReady(ctx context.Context, c *child) error {
	pause := 5 * time.Millisecond
	for !answers(s.socketDir) {
		select {
		case <-c.done:
			return fmt.Errorf("it ended at once: %s\n%s", c.state, s.log.tail())
		case <-ctx.Done():
			err := fmt.Errorf("it is not ready: %w\n%s", ctx.Err(), s.log.tail())
			_ = c.stop(ctx, syscall.SIGINT) // the error above is more informative
			return err
		case <-time.After(pause):
		}
		pause = min(2*pause, 200*time.Millisecond) // a server in recovery logs each attempt
	}
	return nil
}

// watch logs when the server ends without having been stopped.
func (s *Server) watch() {
	<-s.child.done
	if !s.stopping.Load() {
		s.logger.Error("postgres ended by itself", "pid", s.child.process.Pid,
			"state", s.child.state.String(), "log", s.home.logFile())
	}
}

// arguments returns the server's arguments. Of two settings with one name the last
// counts, so those that make the server private come after the caller's.
func arguments(dataDir, socketDir string, o Options) []string {
	args := []string{"-D", dataDir}
	set := func(name, value string) { args = append(args, "-c", name+"="+value) }
	if o.NoSync {
		set("fsync", "off")
		set("full_page_writes", "off")
		set("synchronous_commit", "off")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Settings)) {
		set(name, o.Settings[name])
	}
	set("logging_collector", "off") // the log is the file that we opened
	set("listen_addresses", "")
	set("port", port)
	set("unix_socket_permissions", "0700")
	// The setting is a list, in which a quoted name may contain spaces and
	// commas.
	set("unix_socket_directories", `"`+strings.ReplaceAll(socketDir, `"`, `""`)+`"`)
	return args
}
