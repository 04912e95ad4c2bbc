package sealing

// UnsealedSQL is the query for the entries that are not sealed.
var UnsealedSQL = unsealed
