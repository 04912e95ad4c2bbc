package sales

// SaleColumns are the columns of sales in the code.
var SaleColumns = readColumns().Names("")
