// Package proposals keeps the rights that move money and that one administrator asked for
// until another one confirms them. It decides when that is needed and who may confirm. It
// does not know how people and keys get their rights: their services do.
package proposals
