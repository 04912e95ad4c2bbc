// Package sales is the pages of the counter: the day's list, a sale and its
// cancellation, the customer's notice, what is pending.
package sales
