// Package network is the experiment in which the network and the service damage
// requests in ten ways. The recorded attempts must match exactly what the fault
// proves, and no request may be sent again once a byte of it may have left. Faults
// that prevent a request from leaving at all are covered by the tests of cancelapi.
//
// The server's address of the service is a proxy, which reads each request whole,
// records it, and forwards it: to the service, or to a toxiproxy that was created
// for this one order and applies its fault. So faults of all kinds run at the same
// time, and inquiries, which resolve the doubts, get through.
package network
