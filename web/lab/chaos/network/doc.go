// Package network is the experiment in which the network and the service do ten
// kinds of harm to requests on their way, one kind to each: what the attempts say
// of it must be exactly what the harm proves, and no request may be sent again
// once a byte of it may have left. What keeps a request from leaving at all is
// the business of the tests of cancelapi.
//
// The server believes the service to be at the door, which reads each request to
// its end, takes it down, and hands it on: to the service, or to a toxiproxy
// that was laid for this one order and does what is to be done to it. So faults
// of all kinds are under way at the same time, and inquiries, which settle the
// doubts, come through.
package network
