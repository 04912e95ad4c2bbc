// Package freeze is the experiment in which processes stand still, as in a suspended
// machine or a host that takes their processor away: servers are stopped at each step of
// the wire, and at random moments from outside, for much longer than an attempt's
// deadline, while another server goes on and resolves what they left. When they wake up,
// nothing may be sent late, and what may have left late must be said: of the attempts in
// which they stood still, each that the service did not have by then is stored as unsent,
// or as late.
package freeze
