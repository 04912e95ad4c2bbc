package sales

// SaleColumns are the columns of sales that the code knows.
var SaleColumns = readColumns().Names("")
