// Package crash is the experiment in which processes die at the worst moments:
// servers at each of the twelve crash points, PostgreSQL, and both, under load over two
// servers and with a service that misbehaves. Afterwards every cancellation must be
// final or visibly in doubt within a minute. Nothing that a user was shown may be
// lost, nothing may be sent twice, and no state may contradict the terminals.
package crash
