package web

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/addresses"
)

// resultsConfig is where and from where terminals post, as configured.
type resultsConfig struct {
	secret     string // "": there is no shared address
	shared     models.SharedAddress
	keys       *addresses.Keys // nil: no terminal has an address of its own
	networks   []netip.Prefix  // none: from anywhere
	sharedPace int
}

// checkResults reads how terminals post.
func (s *settings) checkResults(m *mistakes, c *checked) {
	r := &c.results
	r.secret = s.ResultsSecret
	if s.ResultsKeysFile != "" {
		var err error
		if r.keys, err = addresses.Load(s.ResultsKeysFile); err != nil {
			m.add("RESULTS_KEYS_FILE", "%v", err)
		}
	}
	switch {
	case s.ResultsSecret == "" && s.ResultsKeysFile != "": // each terminal has its own address
	case s.ResultsSecret == "":
		m.add("RESULTS_KEYS_FILE", "is required, or RESULTS_SECRET: else terminals can post nowhere. veinte setup makes the file")
	case len(s.ResultsSecret) < minSecret:
		m.add("RESULTS_SECRET", "needs at least %d characters that nobody can guess", minSecret)
	case url.PathEscape(s.ResultsSecret) != s.ResultsSecret:
		m.add("RESULTS_SECRET", "may hold only letters, digits, hyphens and underscores")
	}
	s.checkSharedUntil(m, r)
	r.shared.Open, r.shared.Own = s.ResultsSecret != "", s.ResultsKeysFile != ""
	r.networks = addresses.Networks(strings.Split(s.ResultsNetworks, ","), func(wrong string) {
		m.add("RESULTS_NETWORKS", "%q is neither an address nor a network", wrong)
	})
	if s.ResultsPace != "" {
		n, err := strconv.Atoi(s.ResultsPace)
		if err != nil || n < 60 || n > 1_000_000 {
			m.add("RESULTS_PACE", "%q is no number of posts a minute between 60 and 1000000", s.ResultsPace)
		}
		r.sharedPace = n
	}
}

func (s *settings) checkSharedUntil(m *mistakes, r *resultsConfig) {
	if s.ResultsSharedUntil == "" {
		return
	}
	if _, err := time.Parse(time.DateOnly, s.ResultsSharedUntil); err != nil {
		m.add("RESULTS_SHARED_UNTIL", "%q is no day such as 2027-01-31", s.ResultsSharedUntil)
		return
	}
	if s.ResultsKeysFile == "" {
		m.add("RESULTS_SHARED_UNTIL", "after that day no terminal could post: name RESULTS_KEYS_FILE, so that each has its own address")
	}
	r.shared.Until = models.Day(s.ResultsSharedUntil)
}
