package words

// SaleFilterNames are what the filters of sales are called, by their name in
// addresses.
var SaleFilterNames = map[string]string{
	"q": "sales.text", "store": "sales.store", "terminal": "sales.terminal", "state": "sales.state", "date": "sales.date",
}
