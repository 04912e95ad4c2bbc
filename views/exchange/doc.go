// Package exchange has the pages for data of other systems: imports, a provider's
// reports, results, endpoints and the API.
package exchange
