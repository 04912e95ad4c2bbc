// Package outage is the experiment in which what the product cannot do without
// goes away while people press buttons: the database, the right to add to the
// trail, the room on its disk. While it is away no cancellation may leave, the
// page has to say what is wrong in words, the probe has to be red; and when it is
// back everything has to go on by itself, with the same processes.
package outage
