// Package cancelapi is the client of the payment cancellation service. It requests
// cancellations and inquiries, manages the access token for them, and classifies
// what each response, or the lack of one, proves.
//
// A request is sent at most once. Its outcome is judged in this order: by what the
// wire proves (was a byte sent, did a whole response arrive), then by the body of
// the response, then by its status. A reply is notSent, refused or accepted only on
// proof; everything else is unknown, and resolving it is not the task of this
// package.
//
// It does not know the domain's cancellations, databases or pages.
package cancelapi
