package main

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

const quickStart = "### From a key to “was it canceled?”"

// quickStartCommands returns the commands of the quick start, wherever it is told.
func quickStartCommands(t *testing.T) string {
	t.Helper()
	for _, file := range []string{"../README.md", "../handlers/api/QUICKSTART.md"} {
		text, err := os.ReadFile(file)
		must(t, err)
		_, told, found := strings.Cut(string(text), quickStart)
		if !found {
			continue
		}
		if end := regexp.MustCompile(`(?m)^#{1,3} `).FindStringIndex(told); end != nil {
			told = told[:end[0]]
		}
		var commands []string
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(told, -1) {
			commands = append(commands, block[1])
		}
		return strings.Join(commands, "echo; echo ----\n")
	}
	t.Fatal("nobody tells the quick start")
	return ""
}

// TestQuickStart types every command of the quick start into a shell, as a new
// user would, against the real program.
func TestQuickStart(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	// The terminal has made the sale, and posts to nobody yet: it is the API that
	// tells of it.
	s.control(http.MethodPost, "/control/sales", `{"serialNumber":"`+serial(0)+`","amount":"1250.00","orderId":"order-of-the-guide"}`)
	server := s.serve()
	bin := t.TempDir()
	must(t, os.Symlink(program, filepath.Join(bin, "veinte")))
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-o", "pipefail", "-c", quickStartCommands(t))
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "VEINTE_URL=" + server.url, "DATABASE_URL=" + s.dbURL, "TERMINAL=" + serial(0), "ORDER=order-of-the-guide"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errs.String())
	}
	said := strings.Split(out.String(), "----")
	for i, want := range []string{"", `"status":"created"`, `"canceled":"no"`, `"canceled":"inProgress"`, `"canceled":"yes"`} {
		if i >= len(said) || !strings.Contains(said[i], want) {
			t.Errorf("step %d does not say %s:\n%s", i+1, want, out.String())
		}
	}
	if strings.Contains(out.String()+server.log(), "vk_live_") {
		t.Error("the key is on a screen or in the log")
	}
}
