package web

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// veinte runs the program with only these variables and returns what it wrote.
func veinte(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a program that serves by mistake is stopped
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("run veinte %v: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestServeListsEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	_, stderr, code := veinte(t, []string{
		"ADDR=nowhere", "ADMIN_ADDR=x:y:z", "BASE_URL=ftp://x", "TRUSTED_PROXIES=10.0.0.1,not-an-address",
		"CANCEL_BASE_URL=http://payments.example", "CANCEL_PATH=no-slash", "CANCEL_TIMEOUT=soon", "CANCEL_ACK_MEANS=maybe",
		"TOKEN_MODE=password", "RESULTS_SECRET=short", "RESULT_WAIT=-1s", "QUIET_TIME=1000h", "CUTOFF=25:00", "CUTOFF_ZONE=Mars",
		"CUTOFF_MARGIN=x", "LOG_LEVEL=loud", "LOG_FORMAT=xml", "AUDIT_KEY_FILE=/k", "ACCESS_TOKEN_FILE=/does/not/exist",
		"RESULTS_KEYS_FILE=/does/not/exist", "RESULTS_NETWORKS=10.0.0.0/8,shop", "RESULTS_SHARED_UNTIL=31/01/2027", "RESULTS_PACE=5",
		"RELAY_KEY=too-short", "DELIVERY_ALLOW_PRIVATE=perhaps",
	}, "serve")
	if code == 0 {
		t.Error("serve started with every setting wrong")
	}
	for _, name := range []string{
		"DATABASE_URL", "ADDR", "ADMIN_ADDR", "BASE_URL", "TRUSTED_PROXIES", "CANCEL_BASE_URL: must be https", "CANCEL_PATH",
		"CANCEL_TIMEOUT", "CANCEL_ACK_MEANS", "TOKEN_USERNAME", "TOKEN_PASSWORD", "TOKEN_CLIENT_ID", "TOKEN_CLIENT_SECRET",
		"RESULTS_SECRET", "RESULTS_KEYS_FILE: the file cannot be read", `RESULTS_NETWORKS: "shop"`,
		`RESULTS_SHARED_UNTIL: "31/01/2027"`, "RESULTS_PACE",
		"RESULT_WAIT", "QUIET_TIME", "CUTOFF:", "CUTOFF_ZONE:", "CUTOFF_MARGIN", "LOG_LEVEL", "LOG_FORMAT",
		"AUDIT_KEY_FILE", "ACCESS_TOKEN_FILE", "RELAY_KEY: want 32 random bytes", "DELIVERY_ALLOW_PRIVATE",
	} {
		if !strings.Contains(stderr, "  - "+name) {
			t.Errorf("serve did not name %s; it said:\n%s", name, stderr)
		}
	}
}

// good are valid settings.
var good = []string{
	"DATABASE_URL=postgres://app:s3cret-db@db.example/veinte", "CANCEL_BASE_URL=https://payments.example/gateway",
	"ACCESS_TOKEN=s3cret-token", "RESULTS_SECRET=s3cret-results-0123456789",
}

func TestConfigShowsNoSecret(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := veinte(t, good, "config")
	if code != 0 {
		t.Fatalf("config exited %d: %s", code, stderr)
	}
	if strings.Contains(stdout+stderr, "s3cret") {
		t.Errorf("config shows a secret:\n%s%s", stdout, stderr)
	}
	for _, line := range []string{
		"DATABASE_URL=***", "ACCESS_TOKEN=***", "RESULTS_SECRET=***", "CUTOFF=20:00", "CANCEL_TIMEOUT=30s",
		"TOKEN_PASSWORD=",
	} {
		if !strings.Contains(stdout, line+"\n") {
			t.Errorf("config does not print %q:\n%s", line, stdout)
		}
	}
}

// The connection page shows these settings: no secret, and the terminals' address
// without its secret part.
func TestSetupShowsNoSecret(t *testing.T) {
	t.Parallel()
	s := settings{
		BaseURL: "https://veinte.example/", CancelBaseURL: "https://payments.example/gateway", CancelPath: "/cancel", TokenMode: "password",
		TokenUsername: "s3cret-user", TokenPassword: "s3cret-word", TokenClientID: "s3cret-id", TokenClientSecret: "s3cret-key",
		AccessToken: "s3cret-token", ResultsSecret: "s3cret-results-0123456789", DatabaseURL: "s3cret-database",
	}
	list := map[string]string{}
	for _, line := range s.setup() {
		if strings.Contains(line.Value, "s3cret") {
			t.Errorf("the setup shows %s = %s", line.Name, line.Value)
		}
		list[line.Name] = line.Value
	}
	for name, want := range map[string]string{
		"CANCEL_BASE_URL": "https://payments.example/gateway", "INQUIRY_PATH": "", "TOKEN_PASSWORD": "***", "ACCESS_TOKEN": "***",
		"TOKEN_URL": "https://payments.example/gateway/oauth-service/oauth/token", "RESULTS_SECRET": "https://veinte.example/results/***",
	} {
		if got, ok := list[name]; !ok || got != want {
			t.Errorf("the setup says %s = %q (%t), want %q", name, got, ok, want)
		}
	}
}

func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append([]string{"ACCESS_TOKEN_FILE=" + file}, good[0], good[1], good[3])
	stdout, stderr, code := veinte(t, env, "config")
	if code != 0 || !strings.Contains(stdout, "ACCESS_TOKEN=***\n") {
		t.Errorf("config with ACCESS_TOKEN_FILE exited %d:\n%s%s", code, stdout, stderr)
	}
}

func TestReferenceNamesEverySetting(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	s.each(func(name, _ string, _ bool) {
		if !bytes.Contains(reference, []byte("`"+name+"`")) {
			t.Errorf("web/README.md does not name the setting %s", name)
		}
	})
}
