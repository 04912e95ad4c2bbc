// Package cancelapi is the client of the payment cancellation service: it asks
// for a cancellation or an inquiry, keeps the access token that this takes, and
// says what each answer, or the lack of one, proves.
//
// A request is sent at most once. Whatever happens to it is judged in this
// order: by what the wire proves (did a byte leave, did a whole answer come),
// then by the body of the answer, then by its status. A reply is notSent or
// refused or accepted only on proof; everything else is unknown, and settling it
// is not the business of this package.
//
// It knows nothing of cases, databases or pages.
package cancelapi
