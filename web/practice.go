package web

import (
	"cmp"
	"strings"

	"veinte/models/operations"
)

// checkPractice requires that a practice installation uses the sandbox of the
// service. Not even a token may be requested anywhere else.
func (s *settings) checkPractice(m *mistakes, c *checked) {
	c.practice = m.either("PRACTICE", cmp.Or(s.Practice, "off"), "on", "off")
	if s.PracticeURL != "" {
		checkURL(m, "PRACTICE_URL", s.PracticeURL, false)
		if c.practice {
			m.add("PRACTICE_URL", "is for the real server: this one is where people practise")
		}
		c.practiceURL = s.PracticeURL
	}
	if c.practice && s.CancelBaseURL != "" && !strings.HasPrefix(s.tokenURL(), strings.TrimRight(s.CancelBaseURL, "/")+"/") {
		m.add("TOKEN_URL", "must be the sandbox's own with PRACTICE=on: leave it out")
	}
}

// kind is the kind of installation that the database must be for.
func (c *checked) kind(demo bool) operations.Installation {
	switch {
	case demo:
		return operations.DemoInstallation
	case c.practice:
		return operations.PracticeInstallation
	}
	return operations.RealInstallation
}
