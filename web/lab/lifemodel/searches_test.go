package lifemodel

import "slices"

// search is one search of the model: its switches and the expected result.
type search struct {
	words   string
	defines []string
	mistake string // "" in the sound model
	breaks  string // the property that the mistake violates; of the sound one: the ltl to check, if any
}

// The bounds: two cancellations of one sale, or one each of two sales that share a
// terminal. Liveness is searched with two as well, or in the short version with one,
// because the search for an infinite run takes longer.
var (
	oneSale  = []string{"-DCASES=2"}
	twoSales = []string{"-DCASES=2", "-DSALES=2"}
	oneCase  = []string{"-DCASES=1"}
)

// More switches of the model: one for liveness, and one with which supervisors check
// doubts, which need not happen.
var (
	left  = []string{"-DLIVENESS"}
	ended = []string{"-DLIVENESS", "-DDILIGENT"}
)

// original leaves out that the database turns out to be a copy, which makes several
// times as many states.
var original = []string{"-DORIGINAL"}

// The liveness properties. All others are safety properties.
const (
	noCaseIsStuck = "L1_no_case_is_stuck"
	doubtsEnd     = "L2_doubts_end"
)

// sound lists the searches that must find nothing, the longest first.
func sound(short bool) []search {
	live, one := slices.Concat(oneSale, original), oneSale
	if short {
		live, one = oneCase, slices.Concat(oneSale, original)
	}
	return []search{
		{words: "two sales on one terminal", defines: slices.Concat(twoSales, original)},
		{words: "a sale and a second case of it", defines: one},
		{words: "a case whose database is a copy", defines: oneCase},
		{words: "no case stays requested, sending or accepted", defines: slices.Concat(live, left), breaks: noCaseIsStuck},
		{words: "with supervisors, every doubt ends", defines: slices.Concat(live, ended), breaks: doubtsEnd},
	}
}

// mistakes lists the deliberate mistakes, each with the property that must detect
// it. Every property detects at least one, so none holds trivially.
func mistakes() []search {
	var all []search
	for _, m := range []struct {
		in                     []string
		mistake, words, breaks string
	}{
		{oneSale, "WITHDRAW_WHILE_SENDING", "taken back while it is being sent", "P0_a_move_of_the_table"},
		{oneSale, "CHECK_THEN_OPEN", "two clicks: both look, then both open a case", "P1_one_open_case"},
		{oneSale, "CLICK_TWICE", "the same click opens a second case", "P1_one_case_per_click"},
		{oneSale, "SEND_BEFORE_COMMIT", "sent before the attempt is committed", "P2_attempt_committed_before_byte"},
		{oneSale, "NO_COMPARE_AND_SET", "two workers both take the case", "P3_delivered_at_most_once"},
		{oneSale, "CLIENT_TRIES_AGAIN", "the HTTP client sends again by itself", "P3_delivered_at_most_once"},
		{oneSale, "RESEND", "a lost answer: sent again", "P3_no_resend_after_bytes"},
		{oneSale, "RECOVER_RESENDS", "an interrupted attempt is called requested", "P3_no_resend_after_bytes"},
		{oneSale, "COPY_SENDS", "a restored copy sends what it calls requested", "P3_delivered_at_most_once"},
		{oneSale, "LOST_IS_UNSENT", "a lost answer is taken for proof that nothing left", "T3_unsent_never_left"},
		{oneSale, "LOST_IS_FAILED", "a lost answer is called a failure", "T2_rejected_never_happens"},
		{oneSale, "DOUBT_TIMES_OUT", "a doubt ends with the day, without evidence", "P4_unknown_left_only_by_evidence"},
		{oneSale, "SEND_AFTER_CUTOFF", "the window is not looked at when the first byte leaves", "P5_no_byte_after_cutoff"},
		{oneSale, "SEND_AFTER_DEADLINE", "a frozen process sends when it wakes up", "T4_not_canceled_never_happens"},
		{oneSale, "LATE_UNSAID", "bytes that left late are not said", "T4_not_canceled_never_happens"},
		{oneSale, "LATE_QUIET", "the quiet time of bytes that left late counts from the deadline", "T4_not_canceled_never_happens"},
		{oneSale, "OLD_NEGATIVE", "the negative of attempt 1 rejects attempt 2", "P7_old_negative_changes_nothing"},
		{oneSale, "NEGATIVE_WITHOUT_ID", "a negative without an attempt id rejects the case", "P7_old_negative_changes_nothing"},
		{oneSale, "UNCONFIRM", "a late negative undoes confirmed", "P8_confirmed_is_final"},
		{oneSale, "POSITIVE_TOO_LATE", "a positive over a closed case is left aside", "P8_positive_always_wins"},
		{twoSales, "SECOND_PUSH", "the terminal's other push is not looked at", "P9_one_push_per_terminal"},
		{twoSales, "QUIET_FORGOTTEN", "a doubt no longer occupies the terminal", "P9_no_push_over_a_live_one"},
		{oneSale, "ACK_IS_CANCELED", "an acknowledgement is taken for the cancellation", "T1_confirmed_is_canceled"},
		{oneSale, "UNIDENTIFIED_COUNTS", "a positive that anybody could have posted is taken at its word", "T1_confirmed_is_canceled"},
		{oneSale, "UNIDENTIFIED_OPENS", "so is one of a sale that nobody asked to cancel", "T1_confirmed_is_canceled"},
		{oneSale, "CHARGED_TOO_EARLY", "\"still charged\" counts before the quiet time is over", "T4_not_canceled_never_happens"},
		{oneSale, "OLD_ANSWER", "\"still charged\" from before the quiet time counts after it", "T4_not_canceled_never_happens"},
		{slices.Concat(oneCase, left), "NO_RECOVERY", "nobody looks after an interrupted attempt", noCaseIsStuck},
		{slices.Concat(oneCase, ended), "NOBODY_SETTLES", "no person may end a doubt", doubtsEnd},
	} {
		all = append(all, search{m.words, append([]string{"-DMISTAKE_" + m.mistake}, m.in...), m.mistake, m.breaks})
	}
	return all
}
