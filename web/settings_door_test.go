package web

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestServeIsNotOpenByMistake: passwords and the addresses of terminals cross no network
// in the clear, and everybody's address is known, unless somebody says so.
func TestServeIsNotOpenByMistake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact  string
		set   []string
		wrong string // the setting that is named; "" for none
	}{
		{"as it should be", nil, ""},
		{"behind a proxy", []string{"TRUSTED_PROXIES=10.0.0.1, 10.1.0.0/16"}, ""},
		{"nothing is said of https", []string{"BASE_URL="}, "BASE_URL"},
		{"plain http", []string{"BASE_URL=http://veinte.example"}, "BASE_URL"},
		{"nothing is said of proxies", []string{"TRUSTED_PROXIES="}, "TRUSTED_PROXIES"},
		{"blanks are said of proxies", []string{"TRUSTED_PROXIES= , "}, "TRUSTED_PROXIES"},
		{"none and one", []string{"TRUSTED_PROXIES=none,10.0.0.1"}, "TRUSTED_PROXIES"},
		{"on an address of the network", []string{"ADDR=192.0.2.1:8020", "BASE_URL="}, "BASE_URL"},
		{"on every address by its port", []string{"PORT=9000", "BASE_URL="}, "BASE_URL"},
		{"on this machine", []string{"ADDR=127.0.0.1:8020", "BASE_URL=", "TRUSTED_PROXIES="}, ""},
		{"on this machine, IPv6", []string{"ADDR=[::1]:8020", "BASE_URL=", "TRUSTED_PROXIES="}, ""},
		{"somebody says so", []string{"BASE_URL=", "TRUSTED_PROXIES=", "INSECURE_HTTP=on"}, ""},
		{"somebody says perhaps", []string{"INSECURE_HTTP=perhaps"}, "INSECURE_HTTP"},
		{"practice", []string{"PRACTICE=on", "BASE_URL=", "TRUSTED_PROXIES="}, ""},
	} {
		checkOne(t, tt.fact, tt.set, tt.wrong)
	}
}

// TestTheDatabaseIsReachedByTLS: a database on another machine, unless somebody says
// otherwise.
func TestTheDatabaseIsReachedByTLS(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ fact, url, wrong string }{
		{"TLS where there is any", "postgres://app@db.example/veinte", "DATABASE_URL"},
		{"prefer", "postgres://app@db.example/veinte?sslmode=prefer", "DATABASE_URL"},
		{"allow", "host=db.example user=app sslmode=allow", "DATABASE_URL"},
		{"never", "postgres://app@10.0.0.5/veinte?sslmode=disable", "DATABASE_URL"},
		{"one of several", "postgres://app@127.0.0.1,db2.example/veinte?sslmode=disable", "DATABASE_URL"},
		{"required", "postgres://app@db.example/veinte?sslmode=require", ""},
		{"verified", "host=db.example user=app sslmode=verify-full", ""},
		{"several, required", "postgres://app@db1.example,db2.example/veinte?sslmode=require", ""},
		{"on this machine", "postgres://app@127.0.0.1/veinte", ""},
		{"on this machine by name", "postgres://app@localhost/veinte?sslmode=disable", ""},
		{"by a socket", "postgres://app@/veinte?host=/run/postgresql", ""},
		{"no address of a database", "postgres://app:s3cret-db@[::bad/veinte", "DATABASE_URL"},
	} {
		checkOne(t, tt.fact, []string{"DATABASE_URL=" + tt.url}, tt.wrong)
		checkOne(t, tt.fact+", and somebody says so", []string{"DATABASE_URL=" + tt.url, "INSECURE_DATABASE=on"},
			map[bool]string{true: "DATABASE_URL"}[strings.Contains(tt.url, "bad")])
	}
}

// TestCommandsReachTheDatabaseByTLS: commands send the owner's password, and people's. The
// refusal comes before any connection.
func TestCommandsReachTheDatabaseByTLS(t *testing.T) {
	const listed = "postgres://owner@db.example/veinte"
	t.Setenv("DATABASE_URL", "")
	for _, command := range []string{
		"migrate up", "migrate status", "user list", "key list", "sales import main.go", "terminals import main.go", "audit export",
		"audit verify --key x", "audit witness --database --key x --state s",
	} {
		for _, insecure := range []string{"", "on"} {
			args := strings.Fields(command)
			var cli commandLine
			parser, err := kong.New(&cli, kong.BindTo(t.Context(), (*context.Context)(nil)))
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := parser.Parse(append(args, "--database-url", listed))
			if err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			if err := checkDatabaseOf(parsed, insecure); (err == nil) != (insecure == "on") {
				t.Errorf("veinte %s to another machine, INSECURE_DATABASE=%q: %v", command, insecure, err)
			}
		}
	}
}

// checkOne checks valid settings with some changes.
func checkOne(t *testing.T, fact string, set []string, wrong string) {
	t.Helper()
	s := defaults(t)
	for _, line := range set {
		name, value, _ := strings.Cut(line, "=")
		setting(t, s, name, value)
	}
	_, err := s.checkServed(nil)
	got := ""
	if err != nil {
		got = err.Error()
	}
	if strings.Contains(got, "s3cret") {
		t.Errorf("%s: a secret is said: %s", fact, got)
	}
	switch named := strings.Contains(got, "  - "+wrong+": "); {
	case wrong == "" && got != "":
		t.Errorf("%s: %s, want no mistake", fact, got)
	case wrong != "" && (!named || strings.Count(got, "  - ") != 1):
		t.Errorf("%s: %q, want %s named alone", fact, got, wrong)
	}
}

// TestABareLFIsRefusedByTheProgram: what the tests of handlers try stands before the
// program's own address too.
func TestABareLFIsRefusedByTheProgram(t *testing.T) {
	t.Parallel()
	p := newShop(t).serve()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /livez HTTP/1.1\nHost: veinte.test\r\n\r\n")
	must(t, err)
	answer, err := io.ReadAll(conn)
	must(t, err)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || strings.Count(string(answer), "HTTP/1.1") != 1 {
		t.Errorf("a request line that ends with LF is answered %q, want 400 and closed", answer)
	}
}
