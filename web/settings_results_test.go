package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/addresses"
)

// TestResultsSettings: which settings of the results endpoint go together.
func TestResultsSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(strings.Repeat("n", 44)+"\n"+strings.Repeat("o", 44)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fact    string
		env     []string
		mistake string // "": none
	}{
		{"the shared address alone", []string{"RESULTS_SECRET=s3cret-results-0123456789"}, ""},
		{"own addresses alone", []string{"RESULTS_KEYS_FILE=" + file}, ""},
		{"both, with a last day", []string{
			"RESULTS_SECRET=s3cret-results-0123456789", "RESULTS_KEYS_FILE=" + file, "RESULTS_SHARED_UNTIL=2027-01-31",
		}, ""},
		{"networks", []string{"RESULTS_KEYS_FILE=" + file, "RESULTS_NETWORKS=10.20.0.0/16, 192.0.2.7,2001:db8::/32"}, ""},
		{"neither", nil, "RESULTS_KEYS_FILE: is required"},
		{
			"a last day, and no addresses for afterwards",
			[]string{"RESULTS_SECRET=s3cret-results-0123456789", "RESULTS_SHARED_UNTIL=2027-01-31"},
			"RESULTS_SHARED_UNTIL: after that day no terminal could post",
		},
		{"a short secret beside own addresses", []string{"RESULTS_SECRET=s3cret", "RESULTS_KEYS_FILE=" + file}, "RESULTS_SECRET: needs"},
	} {
		stdout, stderr, code := veinte(t, append([]string{good[0], good[1], good[2], good[4], good[5]}, tt.env...), "config")
		if (code != 0) != (tt.mistake != "") || !strings.Contains(stderr, tt.mistake) {
			t.Errorf("%s: config exited %d and said %q, want %q", tt.fact, code, stderr, tt.mistake)
		}
		if strings.Contains(stdout+stderr, "nnnn") || strings.Contains(stdout+stderr, "s3cret") {
			t.Errorf("%s: config shows a key:\n%s%s", tt.fact, stdout, stderr)
		}
	}
}

// TestNetworksAsWritten: an address is a network of itself, and IPv4 may be written as
// IPv6 writes it.
func TestNetworksAsWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.20.30.40": "10.20.30.40/32", " 10.20.30.40/16 ": "10.20.0.0/16", "::ffff:10.20.30.40": "10.20.30.40/32",
		"::ffff:10.20.30.40/112": "10.20.0.0/16", "2001:db8:20::1": "2001:db8:20::1/128", "2001:DB8:20::1/48": "2001:db8:20::/48",
		"0.0.0.0/0": "0.0.0.0/0", "": "", "10.20.30": "?", "10.20.30.40/33": "?", "shop.example": "?", "fe80::1%eth0/64": "?",
	} {
		var got string
		for _, n := range addresses.Networks([]string{text}, func(string) { got = "?" }) {
			got += n.String()
		}
		if got != want {
			t.Errorf("Networks(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestSharedEndsInMexicoCity: whatever zone the cut-off has.
func TestSharedEndsInMexicoCity(t *testing.T) {
	t.Parallel()
	shared := models.SharedAddress{Open: true, Own: true, Until: "2027-01-31"}
	if got, want := shared.Ends(), time.Date(2027, 2, 1, 6, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("the shared address ends at %s, want %s", got.UTC(), want)
	}
	for now, want := range map[string]models.SharedState{
		"2027-02-01T05:59:59Z": models.SharedUntil, "2027-02-01T06:00:00Z": models.SharedEnded,
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		if got := shared.State(at); got != want {
			t.Errorf("State(%s) = %s, want %s", now, got, want)
		}
	}
}
