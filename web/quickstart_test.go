package web

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// section is a part of a page of documentation.
type section struct{ page, heading string }

// The sections whose commands are run.
var (
	fromFiles  = section{"README.md", "## From files: stores, terminals and the day so far"}
	quickStart = section{"../handlers/api/README.md", "## From a key to “was it canceled?”"}
)

// commands returns the commands of the section.
func (s section) commands(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(s.page)
	must(t, err)
	_, text, found := strings.Cut(string(page), s.heading)
	if !found {
		t.Fatalf("%s has no section %q", s.page, s.heading)
	}
	if end := regexp.MustCompile(`(?m)^#{1,3} `).FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	var commands []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		commands = append(commands, block[1])
	}
	if len(commands) == 0 {
		t.Fatalf("%s has no commands under %q", s.page, s.heading)
	}
	return strings.Join(commands, "echo; echo ----\n")
}

// typed runs the commands of one section in a folder of its own, as a new user
// would, with this very program in the path.
func (s *shop) typed(part section, env ...string) (out string) {
	s.t.Helper()
	return s.typedCommands(part.commands(s.t), env...)
}

func (s *shop) typedCommands(commands string, env ...string) (out string) {
	s.t.Helper()
	bin := s.t.TempDir()
	must(s.t, os.Symlink(program, filepath.Join(bin, "veinte")))
	ctx, cancel := context.WithTimeout(s.t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-o", "pipefail", "-c", commands)
	cmd.Dir = s.t.TempDir()
	cmd.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "DATABASE_URL=" + s.dbURL, "CUTOFF_ZONE=" + noonZone()}, env...)
	var said, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%v\n%s\n%s", err, said.String(), errs.String())
	}
	return said.String()
}

// TestSetUpFromFiles runs the documented commands from nothing to a list of sales.
func TestSetUpFromFiles(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	server := s.serve()
	s.typed(fromFiles)
	list := s.signIn(server, "sofia@shop.example")
	_, page := list.get("/sales")
	for _, want := range []string{"MORNING-0001", "MORNING-0002", "$1,250.00", "Roma Norte", "Cancún Centro", "Caja 1", "Mostrador"} {
		if !strings.Contains(page, want) {
			t.Errorf("today's list does not show %s", want)
		}
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM terminals WHERE serial_number LIKE '22%'`:                               3,
		`SELECT count(*) FROM sales WHERE source = 'import'`:                                          2,
		`SELECT count(*) FROM audit_entries WHERE action IN ('terminals.imported', 'sales.imported')`: 2,
	} {
		var n int
		must(t, s.db.SQL().QueryRow(query).Scan(&n))
		if n != want {
			t.Errorf("%s = %d, want %d", query, n, want)
		}
	}
}

// TestQuickStart runs every command of the quick start in a shell, as a new user
// would, against the real program.
func TestQuickStart(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	// The terminal has made the sale, and does not post yet: the API reports it.
	s.control(http.MethodPost, "/control/sales", `{"serialNumber":"`+serial(0)+`","amount":"1250.00","orderId":"order-of-the-guide"}`)
	server := s.serve()
	out := s.typed(quickStart, "VEINTE_URL="+server.url, "TERMINAL="+serial(0), "ORDER=order-of-the-guide")
	said := strings.Split(out, "----")
	for i, want := range []string{"", `"status":"created"`, `"canceled":"no"`, `"canceled":"inProgress"`, `"canceled":"yes"`} {
		if i >= len(said) || !strings.Contains(said[i], want) {
			t.Errorf("step %d does not say %s:\n%s", i+1, want, out)
		}
	}
	if strings.Contains(out+server.log(), "vk_live_") {
		t.Error("the key is on a screen or in the log")
	}
}
