package models

import (
	"context"
	"time"
)

// CancelAPI is the payment side of a cancellation. Cancel never returns an error:
// the reply states what is proven, whatever happened.
type CancelAPI interface {
	Cancel(ctx context.Context, order Order) Reply
}

// InquiryAPI asks a terminal to post the state of a sale again. It moves no
// money, so it may be repeated.
type InquiryAPI interface {
	Inquire(ctx context.Context, order Order) Reply
}

// Order is a request to the service: cancel the whole of one sale or, as an inquiry,
// post its state again.
type Order struct {
	SerialNumber SerialNumber
	MerchantID   string // the service's storeId, assigned per terminal
	OrderID      string
	OmitReceipt  bool       // true: the terminal prints no receipt
	Key          AttemptKey // travels in traceability and comes back with the result
	// Traceability is the merchant's own object, which goes beside the key; "" is
	// none. Bare sends {} instead of both.
	Traceability string
	Bare         bool
	NotAfter     time.Time // no first byte at or after this instant, by our clock or the service's, whichever is ahead; zero: no limit
	// Deadline is the instant from which others act as if no byte of the request
	// leaves any more; zero: none. It counts by the wall clock and by the monotonic one
	// that it may carry: a suspended machine's monotonic clock stands still, and a wall
	// clock may be set back.
	Deadline time.Time
}

// Meaning is what a reply proves about an attempt.
type Meaning string

// The four meanings. Unknown is neither success nor failure.
const (
	MeaningNotSent  Meaning = "notSent"  // proof that not one byte of the request left
	MeaningAccepted Meaning = "accepted" // the service sent it to the terminal
	MeaningRefused  Meaning = "refused"  // a refusal that we know
	MeaningUnknown  Meaning = "unknown"  // anything else: it may or may not happen
)

// Detail is what led to a meaning. It is stored, and translated for people.
type Detail string

// The details of replies.
const (
	DetailTooLate          Detail = "tooLate"          // notSent: the cut-off came before the first byte
	DetailDialFailed       Detail = "dialFailed"       // notSent: refused, unreachable, DNS, connect timeout
	DetailTLSFailed        Detail = "tlsFailed"        // notSent: the TLS handshake failed
	DetailTokenUnavailable Detail = "tokenUnavailable" // notSent: no access token to send it with
	DetailInvalidOrder     Detail = "invalidOrder"     // notSent: cannot be put into a request
	DetailAccepted         Detail = "accepted"         // accepted: 2xx and code 00
	DetailTerminalNotFound Detail = "terminalNotFound" // refused: code 19
	DetailInvalidToken     Detail = "invalidToken"     // refused: also with a fresh token
	DetailTimeout          Detail = "timeout"          // unknown: no response in time after writing
	DetailConnectionLost   Detail = "connectionLost"   // unknown: reset or closed after writing, no response
	DetailTruncatedReply   Detail = "cutAnswer"        // unknown: header or body ended early
	DetailNotJSON          Detail = "notJSON"          // unknown: HTML, invalid JSON, no known shape
	DetailTooLarge         Detail = "tooLarge"         // unknown: more than 64 KB
	DetailRedirect         Detail = "redirect"         // unknown: a 3xx, not followed
	DetailServerError      Detail = "serverError"      // unknown: a 5xx or another status without a documented meaning
	DetailAccessRefused    Detail = "accessRefused"    // unknown: a 401 or 403 that does not prove that nothing was done
	DetailUnknownCode      Detail = "unknownCode"      // unknown: a code that is not documented
	DetailInterrupted      Detail = "interrupted"      // unknown: the process died or was stopped while sending; notSent: before it
)

// The details of moves that were not caused by a reply.
const (
	DetailWithdrawn           Detail = "takenBack"          // withdrawn by a person
	DetailNoResult            Detail = "noResult"           // unknown: the terminal posted nothing in time
	DetailAckMeansCanceled    Detail = "ackMeansCanceled"   // confirmed: by the merchant's setting
	DetailTerminalConfirmed   Detail = "terminalConfirmed"  // confirmed: the terminal posted it
	DetailCanceledOnTerminal  Detail = "canceledOnTerminal" // confirmed: canceled on the device
	DetailInquiryCanceled     Detail = "inquiryCanceled"    // confirmed: by an inquiry
	DetailInquiryCharged      Detail = "inquiryCharged"     // notCanceled: by an inquiry
	DetailDeclined            Detail = "declined"           // rejected: the terminal posted a refusal
	DetailAbandoned           Detail = "abandoned"          // rejected: the user left the operation on the terminal
	DetailResolvedCanceled    Detail = "settledCanceled"    // confirmed: a person saw the evidence
	DetailResolvedNotCanceled Detail = "settledNotCanceled" // notCanceled: a person saw the evidence
	DetailAlreadyCanceled     Detail = "alreadyCanceled"    // withdrawn: the sale turned out to be canceled
	DetailTerminalRetired     Detail = "terminalRetired"    // withdrawn: its terminal was retired meanwhile
	DetailAccessEnded         Detail = "accessEnded"        // withdrawn: with the access of whoever asked for it
	DetailOtherDatabase       Detail = "otherDatabase"      // unknown: it may have been sent from another database

	DetailReconciledCanceled    Detail = "reconciledCanceled"    // confirmed: by the provider's report
	DetailReconciledNotCanceled Detail = "reconciledNotCanceled" // notCanceled: a complete report lists it as charged
)

// Reply is the result of an attempt, as far as it is known from the network.
type Reply struct {
	Meaning     Meaning
	Detail      Detail
	HTTPStatus  int           // 0 when there was no response
	Code        string        // the service's code, at most 32 characters; "" when there is none
	Message     string        // the service's message, tokens masked, at most 200 characters
	FirstByteAt time.Time     // when the first byte of the request left; zero when none did
	Late        bool          // bytes may have left after the order's Deadline; FirstByteAt is then the latest instant at which one did
	Duration    time.Duration // from the call to the end of the response
}
