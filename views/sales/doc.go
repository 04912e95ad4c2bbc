// Package sales has the pages of the counter: the day's list, a sale and its
// cancellation, the customer's notice, pending cancellations.
package sales
