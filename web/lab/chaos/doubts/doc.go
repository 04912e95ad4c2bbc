// Package doubts is the experiment in which answers and results are lost, and which
// measures how long it takes from a doubt to the evidence that ends it, by inquiries
// alone: nobody presses anything. A terminal that canceled says so at once; that a sale
// is still charged can be proven only once the quiet time is over.
package doubts
