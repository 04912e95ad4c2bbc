package network

import (
	"time"

	"veinte/models"
)

// The times of the experiment. The machine may be busy, so even the shortest is far
// above what anything needs.
const (
	answerWait = 5 * time.Second // CANCEL_TIMEOUT
	resultWait = 4 * time.Second // RESULT_WAIT
	quietTime  = 2 * time.Second // QUIET_TIME
)

// fault is one of the ten. Each cancellation with it gets one of its variants.
type fault struct {
	name     string
	variants []variant
}

// variant is one way to do a fault, and the expected outcome of the attempt.
type variant struct {
	how    string
	toxics toxics // nil: the order goes straight to the service
	box    string // a fault of the service itself; "": none
	slow   string // the delay of that fault; "": its own

	delivered bool // the whole request reaches the service
	want      outcome
}

// outcome is what an attempt records.
type outcome struct {
	Meaning models.Meaning
	Detail  models.Detail
}

// The possible outcomes. Once bytes may have left, no failure proves anything: the
// request may have been received and carried out, whatever broke the response.
var (
	acknowledged = outcome{models.MeaningAccepted, models.DetailAccepted}
	timedOut     = outcome{models.MeaningUnknown, models.DetailTimeout}
	lost         = outcome{models.MeaningUnknown, models.DetailConnectionLost}
	cut          = outcome{models.MeaningUnknown, models.DetailTruncatedReply}
	serverError  = outcome{models.MeaningUnknown, models.DetailServerError}
	notJSON      = outcome{models.MeaningUnknown, models.DetailNotJSON}
)

// faults befall a request that may have left.
var faults = []fault{
	{"black hole before the request", []variant{
		{how: "toxics timeout upstream and slow_close downstream", toxics: fixed(swallowRequest, neverEnd), want: timedOut},
	}},
	{"black hole after the request", []variant{
		{how: "toxics timeout and slow_close downstream", toxics: fixed(swallowAnswer, neverEnd), delivered: true, want: timedOut},
		{how: "service hang", box: "hang", delivered: true, want: timedOut},
	}},
	{"late answer", []variant{
		{how: "toxic latency, in time", toxics: late(100*time.Millisecond, 600*time.Millisecond), delivered: true, want: acknowledged},
		{how: "service slow, in time", box: "slow", slow: "500ms", delivered: true, want: acknowledged},
		{how: "toxic latency, too late", toxics: late(answerWait+time.Second, answerWait+3*time.Second), delivered: true, want: timedOut},
	}},
	{"FIN", []variant{
		{how: "toxic limit_data 0", toxics: fixed(endAtAnswer), delivered: true, want: lost},
		{how: "toxic timeout downstream", toxics: fixed(swallowAnswer), delivered: true, want: lost},
		{how: "service dropAfterReading", box: "dropAfterReading", delivered: true, want: lost},
	}},
	{"RST", []variant{
		{how: "toxic reset_peer downstream", toxics: fixed(resetAtAnswer), delivered: true, want: lost},
		{how: "toxic reset_peer upstream", toxics: fixed(resetAtRequest), want: lost},
		{how: "service reset", box: "reset", delivered: true, want: lost},
	}},
	{"cut header", []variant{
		{how: "toxic limit_data", toxics: cutHeader, delivered: true, want: cut},
		{how: "service cutHeader", box: "cutHeader", delivered: true, want: cut},
	}},
	{"cut body", []variant{
		{how: "service cutBody", box: "cutBody", delivered: true, want: cut},
	}},
	{"one byte a second", []variant{
		{how: "toxic slicer", toxics: fixed(trickle), delivered: true, want: timedOut},
		{how: "service oneBytePerSecond", box: "oneBytePerSecond", delivered: true, want: timedOut},
	}},
	{"5xx with HTML", []variant{
		{how: "service 502", box: "502", delivered: true, want: serverError},
	}},
	{"invalid JSON", []variant{
		{how: "service invalidJSON", box: "invalidJSON", delivered: true, want: notJSON},
		{how: "service html", box: "html", delivered: true, want: notJSON},
	}},
}

// hungFault affects the store in trouble, until the experiment ends its requests;
// unharmed is for the other store.
var (
	hungFault = fault{"hanging for a store", []variant{
		{how: "toxics timeout upstream and slow_close downstream", toxics: fixed(swallowRequest, neverEnd), want: lost},
	}}
	unharmed = fault{"another store meanwhile", []variant{{how: "nothing", delivered: true, want: acknowledged}}}
)

// behind is what the terminal does, whatever happened to the response.
type behind int

const (
	cancels behind = iota
	declines
	nothing
)

// final is how a cancellation must end once its doubts are resolved.
func (t *trial) final() models.State {
	switch {
	case !t.delivered || t.behind == nothing:
		return models.NotCanceled // the inquiry reports it as still charged
	case t.behind == declines:
		return models.Rejected
	default:
		return models.Confirmed
	}
}

// boxFault is the service's fault for the order, and whether its terminal acts all
// the same; nil for no fault.
func (t *trial) boxFault() (name string, acts *bool) {
	switch {
	case t.box != "":
		acting := t.behind == cancels
		return t.box, &acting
	case t.behind == declines:
		return "declined", nil
	case t.behind == nothing:
		return "ackNoResult", nil
	}
	return "", nil
}
