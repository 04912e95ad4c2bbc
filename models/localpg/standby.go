package localpg

import (
	"context"
	"fmt"
)

// StartStandby starts a copy of a running server that follows it and takes no writes
// until it is promoted. The data directory is made the first time; a standby is started
// again with Start. Its settings must allow at least what the primary's do.
func StartStandby(ctx context.Context, primary *Server, o Options) (*Server, error) {
	s, err := start(ctx, o, following(primary))
	if err != nil {
		return nil, fmt.Errorf("start a standby: %w", err)
	}
	return s, nil
}

// StartTemporaryStandby is StartTemporary for a copy of a server that follows it.
func StartTemporaryStandby(ctx context.Context, primary *Server) (*Server, error) {
	return startTemporaryOf(ctx, following(primary))
}

// following fills a new server with the primary's data and has it follow.
func following(primary *Server) filling {
	return func(ctx context.Context, s *Server, dir string, noSync bool) error {
		args := []string{
			"--pgdata=" + dir, "--host=" + primary.socketDir, "--port=" + port, "--username=" + superuser, "--no-password",
			"--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf",
		}
		if noSync {
			args = append(args, "--no-sync")
		}
		return s.run(ctx, "pg_basebackup", args...)
	}
}
