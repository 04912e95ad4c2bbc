// Package review is the inbox: one list of everything that needs a person. It marks what
// was handled, lists what was handled lately, and what is pending of a day. It moves no
// cancellation.
//
// # What is an item
//
// A doubt, a contradiction of a cancellation, a terminal's post without a sale, an alert,
// an open difference of a provider's report, and an outlier that nobody has reviewed. Each
// is counted once, by the number in the navigation too. A report with more than five
// differences is one item: the file is wrong rather than the sales.
//
// # The same thing is one item
//
//   - An alert of a kind that only repeats an item (alerts.Kind.Echo: an old doubt, a
//     contradiction or a result) is never an item. What it tells of is in the list by
//     itself, and stays there until it is resolved or handled.
//   - An alert about one sale (its amount, its late hour) folds into that sale's doubt,
//     contradiction, result or difference while that is open, and the item names it.
//   - A difference folds into the doubt or the contradiction of its sale in the same way. One
//     of a report that a later report supersedes, or that says what has become of the sale
//     meanwhile, is none.
//   - Everything else is an item of its own: an alert about a person, a store, a terminal, a
//     day or the trail is about more than one sale.
//   - A doubt and a contradiction of the same sale are two questions, with two answers.
//
// Who handles an item handles what is folded into it, with the same note, except what they
// may not: an alert about their own act stays for somebody else. A doubt is not handled but
// resolved, by evidence. Then the echo of it is over, and what else was folded into it (a
// large amount, a difference) comes back as an item of its own, because nobody has looked at
// that. The other way round, an echo cannot be handled by itself (alerts.Service.Attend
// refuses); any other alert can, and the item remains.
package review
