package backup

import (
	"strings"
	"testing"
)

// TestNoArgumentHasThePassword: everybody on a machine sees the arguments of its programs.
func TestNoArgumentHasThePassword(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://o:s3cret@db1:5433,db2:5434/veinte?sslmode=require&target_session_attrs=any": "postgres://o@db1:5433,db2:5434/veinte?" +
			"sslmode=require&target_session_attrs=any",
		"postgres://o@/veinte?host=/run/my%20pg&password=s3cret": "postgres://o@/veinte?host=%2Frun%2Fmy%20pg",
		"host=/run/pg user=o password=s3cret dbname=veinte":      "host=/run/pg user=o  dbname=veinte",
		`password = 's3\' cret' dbname=veinte host=/run/pg`:      "  dbname=veinte host=/run/pg",
	} {
		p, err := at(address)
		if err != nil {
			t.Errorf("at(%q) = %v", address, err)
			continue
		}
		if p.conninfo != want {
			t.Errorf("at(%q) is told as %q, want %q", address, p.conninfo, want)
		}
		if env := strings.Join(p.environment(), "\n"); !strings.Contains(env, "PGPASSWORD=s3") {
			t.Errorf("at(%q): no password is told by the environment", address)
		}
	}
	if _, err := at("postgres://o:s3cret@host:not-a-port/veinte"); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("what is no address: %v, want an error without the password", err)
	}
}

func TestADatabaseBeside(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://o@db/veinte?sslmode=require":    "postgres://o@db/postgres?sslmode=require",
		"host=/run/pg user=o dbname=veinte port=55": "host=/run/pg user=o dbname=veinte port=55 dbname=postgres",
	} {
		p, err := at(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.beside("postgres"); got.conninfo != want || got.config.Database != "postgres" {
			t.Errorf("beside %q is %q, want %q", address, got.conninfo, want)
		}
	}
}
