package web

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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
		"RELAY_KEY=too-short", "DELIVERY_ALLOW_PRIVATE=perhaps", "FAILOVER_KEEPS_COMMITS=always", "SERVE_AS_OWNER=yes",
		"INSECURE_HTTP=perhaps", "INSECURE_DATABASE=perhaps",
		"SECURITY_CONTACT=mailto:a@tienda.example,javascript:alert(1)", "OIDC_ISSUER=http://login.example.com",
		"OIDC_NAME=" + strings.Repeat("x", 41),
		"CANCEL_PROXY=http://tienda:s3cret@proxy/x", "DELIVERY_PROXY=proxy:3128",
	}, "serve")
	if strings.Contains(stderr, "s3cret") {
		t.Errorf("a secret is shown:\n%s", stderr)
	}
	if code == 0 {
		t.Error("serve started with every setting wrong")
	}
	for _, name := range []string{
		"DATABASE_URL", "ADDR", "ADMIN_ADDR", "BASE_URL", "TRUSTED_PROXIES", "CANCEL_BASE_URL: must be https", "CANCEL_PATH",
		"CANCEL_TIMEOUT", "CANCEL_ACK_MEANS", "TOKEN_USERNAME", "TOKEN_PASSWORD", "TOKEN_CLIENT_ID", "TOKEN_CLIENT_SECRET",
		"RESULTS_SECRET", "RESULTS_KEYS_FILE: the file cannot be read: no such file", `RESULTS_NETWORKS: "shop"`,
		`RESULTS_SHARED_UNTIL: "31/01/2027"`, "RESULTS_PACE",
		"RESULT_WAIT", "QUIET_TIME", "CUTOFF:", "CUTOFF_ZONE:", "CUTOFF_MARGIN", "LOG_LEVEL", "LOG_FORMAT",
		"AUDIT_KEY_FILE", "ACCESS_TOKEN_FILE", "RELAY_KEY: want 32 random bytes", "DELIVERY_ALLOW_PRIVATE",
		`FAILOVER_KEEPS_COMMITS: "always" is neither on nor off`, "INSECURE_HTTP", "INSECURE_DATABASE",
		`SECURITY_CONTACT: "javascript:alert(1)"`,
		`SERVE_AS_OWNER: "yes" is neither on nor off`,
		"OIDC_ISSUER: must be https", "OIDC_CLIENT_ID", "OIDC_NAME", "CANCEL_PROXY: want", "DELIVERY_PROXY: want",
	} {
		if !strings.Contains(stderr, "  - "+name) {
			t.Errorf("serve did not name %s; it said:\n%s", name, stderr)
		}
	}
}

// A secret whose file cannot be read is named once, with the reason.
func TestAFileThatCannotBeReadIsNamedOnce(t *testing.T) {
	t.Parallel()
	_, stderr, _ := veinte(t, []string{"ACCESS_TOKEN_FILE=/does/not/exist", "DATABASE_URL_FILE=/does/not/exist"}, "serve")
	for _, name := range []string{"ACCESS_TOKEN", "DATABASE_URL"} {
		if !strings.Contains(stderr, "  - "+name+"_FILE: the file cannot be read") || strings.Contains(stderr, "  - "+name+":") {
			t.Errorf("serve named %s as:\n%s", name, stderr)
		}
	}
}

// good are valid settings.
var good = []string{
	"DATABASE_URL=postgres://app:s3cret-db@db.example/veinte?sslmode=verify-full", "CANCEL_BASE_URL=https://payments.example/gateway",
	"ACCESS_TOKEN=s3cret-token", "RESULTS_SECRET=s3cret-results-0123456789",
	"BASE_URL=https://veinte.example", "TRUSTED_PROXIES=none",
	"CANCEL_PROXY=http://tienda:s3cret-proxy@proxy.example:3128", "DELIVERY_PROXY=https://tienda:s3cret-proxy@proxy.example:3129",
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
		"DATABASE_URL=***", "ACCESS_TOKEN=***", "RESULTS_SECRET=***", "CUTOFF=20:00", "CANCEL_TIMEOUT=30s", "FAILOVER_KEEPS_COMMITS=off",
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
		CancelBaseURL: "https://payments.example/gateway", CancelPath: "/cancel", TokenMode: "password",
		TokenUsername: "s3cret-user", TokenPassword: "s3cret-word", TokenClientID: "s3cret-id", TokenClientSecret: "s3cret-key",
		AccessToken: "s3cret-token", CancelProxy: "http://tienda:s3cret-proxy@proxy.example:3128",
		ResultsSecret: "s3cret-results-0123456789", DatabaseURL: "s3cret-database",
	}
	list := map[string]string{}
	for _, line := range s.setup("https://veinte.example") {
		if strings.Contains(line.Value, "s3cret") {
			t.Errorf("the setup shows %s = %s", line.Name, line.Value)
		}
		list[line.Name] = line.Value
	}
	for name, want := range map[string]string{
		"CANCEL_BASE_URL": "https://payments.example/gateway", "INQUIRY_PATH": "", "CANCEL_PROXY": "http://proxy.example:3128",
		"TOKEN_PASSWORD": "***", "ACCESS_TOKEN": "***",
		"TOKEN_URL": "https://payments.example/gateway/oauth-service/oauth/token", "RESULTS_SECRET": "https://veinte.example/results/***",
	} {
		if got, ok := list[name]; !ok || got != want {
			t.Errorf("the setup says %s = %q (%t), want %q", name, got, ok, want)
		}
	}
}

// The waits and the cut-off of the environment obey the bounds of the rules page: a
// value just inside is taken, one just outside is named.
func TestTimesObeyTheBoundsOfTheRulesPage(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]struct{ inside, outside []string }{
		"CUTOFF":         {[]string{"00:30", "23:59"}, []string{"00:29", "00:00"}},
		"CUTOFF_MARGIN":  {[]string{"1s", "10m"}, []string{"999ms", "0s", "10m1s"}},
		"CANCEL_TIMEOUT": {[]string{"5s", "1m"}, []string{"4999ms", "61s"}},
		"RESULT_WAIT":    {[]string{"30s", "15m"}, []string{"29s", "15m1s"}},
		"QUIET_TIME":     {[]string{"30s", "15m"}, []string{"29s", "15m1s"}},
	} {
		for taken, list := range map[bool][]string{true: values.inside, false: values.outside} {
			for _, value := range list {
				s := defaults(t)
				m := setting(t, s, name, value).mistakes(t)
				if named := strings.Contains(m, "  - "+name+":"); named == taken {
					t.Errorf("%s=%s is named as a mistake: %t, want %t: %s", name, value, named, !taken, m)
				}
			}
		}
	}
}

// Shorter waits are for tests, against a service on this machine.
func TestTestWaits(t *testing.T) {
	t.Parallel()
	s := defaults(t)
	s.QuietTime, s.TestWaits = "1s", "on"
	if m := setting(t, s, "CANCEL_BASE_URL", "http://127.0.0.1:8021").mistakes(t); m != "" {
		t.Errorf("TEST_WAITS=on against this machine: %s", m)
	}
	if m := setting(t, s, "CANCEL_BASE_URL", "https://payments.example").mistakes(t); !strings.Contains(m, "TEST_WAITS: is for tests") {
		t.Errorf("TEST_WAITS=on against a service elsewhere: %q, want it refused", m)
	}
	s.TestWaits = "perhaps"
	if m := setting(t, s, "CANCEL_BASE_URL", "http://127.0.0.1:8021").mistakes(t); !strings.Contains(m, "TEST_WAITS: ") {
		t.Errorf("TEST_WAITS=perhaps: %q", m)
	}
}

// defaults are valid settings, as the command line fills them in.
func defaults(t *testing.T) *settings {
	t.Helper()
	s := &settings{}
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetString(v.Type().Field(i).Tag.Get("default"))
	}
	for _, line := range good {
		name, value, _ := strings.Cut(line, "=")
		setting(t, s, name, value)
	}
	return s
}

// setting sets one setting by the name of its variable.
func setting(t *testing.T, s *settings, name, value string) *settings {
	t.Helper()
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("env") == name {
			v.Field(i).SetString(value)
			return s
		}
	}
	t.Fatalf("there is no setting %s", name)
	return nil
}

// mistakes are what check says of them; "" for nothing.
func (s *settings) mistakes(t *testing.T) string {
	t.Helper()
	if _, err := s.check(nil); err != nil {
		return err.Error()
	}
	return ""
}

// What differs from the cancellation document (20:00, Mexico City) is said in words;
// the clock of the other zone decides, in winter and in summer.
func TestWhatDiffersFromTheDocumentIsSaid(t *testing.T) {
	t.Parallel()
	const winter, summer = "2026-01-15T12:00:00-06:00", "2026-07-15T12:00:00-06:00"
	for _, tt := range []struct{ fact, cutoff, zone, at, code, there string }{
		{"the document's own", "20:00", "America/Mexico_City", winter, "", ""},
		{"earlier", "18:30", "America/Mexico_City", winter, "differs.cutoffEarlier", "18:30"},
		{"later", "20:01", "America/Mexico_City", winter, "differs.cutoffLater", "20:01"},
		{"20:00 in Cancún is earlier", "20:00", "America/Cancun", winter, "differs.cutoffEarlier", "19:00"},
		{"20:00 in Hermosillo is later", "20:00", "America/Hermosillo", winter, "differs.cutoffLater", "21:00"},
		{"20:00 in Tijuana, in winter", "20:00", "America/Tijuana", winter, "differs.cutoffLater", "22:00"},
		{"20:00 in Tijuana, in summer", "20:00", "America/Tijuana", summer, "differs.cutoffLater", "21:00"},
		{"21:00 in Cancún is the same instant", "21:00", "America/Cancun", winter, "differs.cutoffZone", "20:00"},
		{"another zone with the same clock", "20:00", "America/Monterrey", summer, "differs.cutoffZone", "20:00"},
		{"far in the east", "20:00", "Asia/Tokyo", winter, "differs.cutoffEarlier", "05:00"},
		{"far in the west", "20:00", "Etc/GMT+12", winter, "differs.cutoffLater", "02:00"},
	} {
		s := setting(t, setting(t, defaults(t), "CUTOFF", tt.cutoff), "CUTOFF_ZONE", tt.zone)
		c, err := s.check(nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.fact, err)
		}
		now, _ := time.Parse(time.RFC3339, tt.at)
		notes := strings.Join(c.notes(now), " ")
		if tt.code == "" {
			if notes != "" {
				t.Errorf("%s: %q, want nothing", tt.fact, notes)
			}
			continue
		}
		got := c.differences(now)
		if len(got) != 1 || got[0].Code != tt.code || !strings.Contains(notes, tt.there+" in Mexico City") ||
			!strings.Contains(notes, tt.zone) || tt.code != "differs.cutoffZone" && !strings.Contains(notes, tt.cutoff) {
			t.Errorf("%s: %v, in words %q; want %s, %s there", tt.fact, got, notes, tt.code, tt.there)
		}
	}
}

// The document shows no answer: what counts as canceled is the merchant's word, and is
// said.
func TestAnAcknowledgementThatCountsIsSaid(t *testing.T) {
	t.Parallel()
	c, err := setting(t, defaults(t), "CANCEL_ACK_MEANS", "canceled").check(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := c.differences(time.Now())
	if len(got) != 1 || got[0].Code != "differs.ackCanceled" || !strings.Contains(strings.Join(c.notes(time.Now()), ""), "no results") {
		t.Errorf("differences() = %v, in words %q", got, c.notes(time.Now()))
	}
}

// The command says it too, beside the settings and not among them.
func TestConfigSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := veinte(t, append([]string{"CUTOFF=18:30", "CUTOFF_ZONE=America/Cancun"}, good...), "config")
	if code != 0 || !strings.Contains(stderr, "note: Here the day ends at 18:30 of America/Cancun, which today is 17:30 in Mexico City") {
		t.Errorf("config exited %d and said %q", code, stderr)
	}
	if strings.Contains(stdout, "note") {
		t.Errorf("the note is among the settings:\n%s", stdout)
	}
	if _, stderr, _ := veinte(t, good, "config"); stderr != "" {
		t.Errorf("config with the document's values said %q", stderr)
	}
}

func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append([]string{"ACCESS_TOKEN_FILE=" + file}, good[0], good[1], good[3], good[4], good[5])
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

// A provider of the single sign-on is reached by https, but on this machine; where people
// come back to is this server's address.
func TestTheProviderOfTheSingleSignOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   settings
		want string // of the mistake; "" for none
	}{
		{settings{OIDCIssuer: "https://login.example.com/realms/x", OIDCClientID: "veinte", BaseURL: "https://veinte.example/"}, ""},
		{settings{OIDCIssuer: "http://127.0.0.1:9/", OIDCClientID: "veinte", BaseURL: "https://veinte.example"}, ""},
		{settings{OIDCIssuer: "http://10.0.0.1", OIDCClientID: "veinte", BaseURL: "https://veinte.example"}, "OIDC_ISSUER: must be https"},
		{settings{OIDCIssuer: "https://u:p@login.example.com", OIDCClientID: "veinte", BaseURL: "https://veinte.example"}, "OIDC_ISSUER: want"},
		{settings{OIDCIssuer: "https://login.example.com", BaseURL: "https://veinte.example"}, "OIDC_CLIENT_ID"},
		{settings{OIDCIssuer: "https://login.example.com", OIDCClientID: "veinte"}, "BASE_URL"},
		{settings{OIDCClientSecret: "s3cret"}, "OIDC_ISSUER: name the provider"},
	} {
		c, m := tt.of.checkAll(nil)
		found := strings.Join(m, "\n")
		if tt.want != "" && !strings.Contains(found, tt.want) || tt.want == "" && strings.Contains(found, "OIDC") {
			t.Errorf("%+v: the mistakes are %q, want %q", tt.of, found, tt.want)
		}
		if tt.want == "" && c.sso.RedirectURL != "https://veinte.example/login/oidc/callback" {
			t.Errorf("%+v: people come back to %s", tt.of, c.sso.RedirectURL)
		}
	}
}
