// Package crash is the experiment in which processes die at the worst moments:
// servers at each of the ten crash points, PostgreSQL, and both, under load over
// two servers and with a service that misbehaves. Afterwards every case must be
// final or visibly in doubt within a minute, nothing that a person was told may
// be lost, nothing sent twice, and nothing claimed that the terminals deny.
package crash
