// Package outage is the experiment in which something that the product needs fails
// while people click: the database, the right to add to the trail, the space on its
// disk. During the outage no cancellation may leave, the page must explain the
// problem, and the probe must fail. After it everything must go on automatically,
// with the same processes.
package outage
