package sealing

// UnsealedSQL is how the sealer finds what it has not sealed.
var UnsealedSQL = unsealed
