// Package clicks is the experiment in which several people press the button of
// the same sale at once, very often, over two servers: there must be one case
// and one delivery for each sale, and every answer must be true.
package clicks
