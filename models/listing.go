package models

// PageSize is how many rows a page of a list holds.
const PageSize = 50
