package localpg

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

const (
	logLimit  = 16 << 20 // bytes; a larger log is set aside at the next start
	tailLimit = 4 << 10  // maximum bytes of the log that an error quotes
	tailLines = 20
)

// logfile is the log of initdb and the server. It is opened here and passed on, so
// that it need not be writable for the account they run as.
type logfile struct {
	*os.File
	start int64 // where this program's part begins
}

func openLog(path string) (*logfile, error) {
	if info, err := os.Lstat(path); err == nil && info.Size() > logLimit {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("set log aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &logfile{File: f}
	return l, l.mark()
}

// mark starts a new part: tail quotes nothing from before it.
func (l *logfile) mark() error {
	info, err := l.Stat()
	if err != nil {
		return err
	}
	l.start = info.Size()
	return nil
}

// tail returns the last lines of this program's part, for an error message.
func (l *logfile) tail() string {
	info, err := l.Stat()
	if err != nil {
		return ""
	}
	from := max(l.start, info.Size()-tailLimit)
	text, _ := io.ReadAll(io.NewSectionReader(l, from, tailLimit))
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
