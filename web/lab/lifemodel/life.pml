/*
 * The life of a cancellation, as a model that spin searches whole.
 *
 * It holds the rules of models/ (request, dispatch, finish, timers, inquire,
 * read_*, settle) and the world they live in: people who click, processes that
 * die or freeze, a service that says little, a terminal that acts late. One
 * transaction is one atomic step, because each of them holds the sale's row;
 * what is no transaction is a step of its own, and anything may happen between
 * two steps. README.md says what is left out and why that is sound.
 *
 * -DORIGINAL leaves out that the database turns out to be a copy.
 * -DMISTAKE_x switches one mistake on; each must be caught. -DREACH counts the
 * moves and situations that occur; each must. -DLIVENESS adds what must happen.
 */

#ifndef SALES
#define SALES 1    /* all on one terminal */
#endif
#ifndef CASES
#define CASES 2    /* that there may ever be, of all sales together */
#endif
#define ATTEMPTS 2 /* of one case; as many unsent ones end it (models: 3) */

/* An expression for any case, a statement for each case. */
#if CASES == 1
#define ANY_CASE(f, x) f(0, x)
#define EACH_CASE(f) f(0)
#elif CASES == 2
#define ANY_CASE(f, x) (f(0, x) || f(1, x))
#define EACH_CASE(f) f(0); f(1)
#else
#define ANY_CASE(f, x) (f(0, x) || f(1, x) || f(2, x))
#define EACH_CASE(f) f(0); f(1); f(2)
#endif

mtype = { none, requested, withdrawn, expired, sending, accepted, rejected, unknown, confirmed, notCanceled };

/* The moves of models/STATES.md. A test compares it with the product's. */
#define MOVE(from, to) ( \
	(from == requested && (to == withdrawn || to == expired || to == sending || to == unknown || to == confirmed)) || \
	(from == sending && (to == requested || to == accepted || to == rejected || to == unknown || to == confirmed)) || \
	(from == accepted && (to == unknown || to == rejected || to == confirmed)) || \
	(from == unknown && (to == rejected || to == notCanceled || to == confirmed)) || \
	(from == withdrawn && (to == confirmed)) || \
	(from == expired && (to == confirmed)) || \
	(from == rejected && (to == confirmed)) || \
	(from == notCanceled && (to == confirmed)))

#define OPEN(st) (st == requested || st == sending || st == accepted || st == unknown)

/* What is committed. */
mtype state[CASES] = none;
byte saleOf[CASES];       /* the case's sale */
byte attempts[CASES];
bit word[CASES];      /* a supervisor said "not canceled", having looked */
bit raised[CASES];    /* a contradiction: its request may have left late */
byte cases;           /* how many there are; a later case has a higher number */
byte latest[SALES];   /* one more than the number of the sale's latest case; 0: it has none */
bit clicked[2 * SALES]; /* the person's sheet of the sale has opened a case */

/* Time, as far as a rule looks at it. Each comes true at any moment. */
bit closed;           /* the window: the cut-off less the margin */
bit due[CASES];       /* the attempt is over, or its deadline is past: nobody may send it any more */
bit quiet[CASES];     /* the quiet time after the last push is over */

/* The world, whether we know it or not; a push by case and attempt. */
#define AT(c, n) ((c) * ATTEMPTS + (n) - 1)
mtype = { kept, live, gone }; /* no byte left; the terminal may act on it; it no longer can */
mtype push[CASES * ATTEMPTS] = kept;
bit tardy[CASES];     /* its bytes left after the deadline: the process was frozen past the gate */
bit owned[CASES];     /* and the process lived to say so */
mtype = { silence, ack, refusal, unsent }; /* what the service says; unsent: proof that no byte left */
mtype answer[CASES * ATTEMPTS] = silence;
mtype = { nothing, yes, no }; /* the terminal's result, posted any number of times from then on */
mtype said[CASES * ATTEMPTS] = nothing;
#define BY_HAND 100
byte canceled[SALES]; /* 0, BY_HAND, or one more than the case whose push did it */

mtype = { early, late };
mtype charged[CASES] = none; /* "C" was posted, to a question put before or after the end of the quiet time */

/* The properties, numbered as in STATES.md; T is for true of the world. pan
 * prints the name of a broken one; -DONLY=name looks for that one alone. */
hidden byte
	P0_a_move_of_the_table = 1,
	P1_one_open_case = 2,
	P1_one_case_per_click = 3,
	P2_attempt_committed_before_byte = 4,
	P3_delivered_at_most_once = 5,
	P3_no_resend_after_bytes = 6,
	P4_unknown_left_only_by_evidence = 7,
	P5_no_byte_after_cutoff = 8,
	P7_old_negative_changes_nothing = 9,
	P8_confirmed_is_final = 10,
	P8_positive_always_wins = 11,
	P9_one_push_per_terminal = 12,
	P9_no_push_over_a_live_one = 13,
	T1_confirmed_is_canceled = 14,
	T2_rejected_never_happens = 15,
	T3_unsent_never_left = 16,
	T4_not_canceled_never_happens = 17;
#ifdef ONLY
#define CLAIM(name, holds) assert(name != ONLY || (holds))
#else
#define CLAIM(name, holds) assert(!name || (holds))
#endif

#define CURRENT(c) AT(c, attempts[c])
#define CAN_ACT(c) (push[AT(c, 1)] == live || push[AT(c, 2)] == live)
#define LEFT(c) (push[AT(c, 1)] != kept || push[AT(c, 2)] != kept)
#define DID_IT(c) (canceled[saleOf[c]] == c + 1)
/* What left late is not known to us before its process says so. */
#define UNKNOWN_TO_US(c) (tardy[c] && !owned[c])

/* What a case says is so, at every moment: rejected and an inquiry's notCanceled
 * also mean that its own push never will cancel the sale. */
#define TRUE_OF(c) \
	CLAIM(T1_confirmed_is_canceled, state[c] != confirmed || canceled[saleOf[c]] != 0); \
	CLAIM(T2_rejected_never_happens, state[c] != rejected || (!CAN_ACT(c) && !DID_IT(c))); \
	CLAIM(T3_unsent_never_left, (state[c] != withdrawn && state[c] != expired) || !LEFT(c)); \
	CLAIM(T4_not_canceled_never_happens, \
		state[c] != notCanceled || word[c] || raised[c] || UNKNOWN_TO_US(c) || (!CAN_ACT(c) && !DID_IT(c)))

/* The evidence that may end a doubt. */
#define EVIDENCE(c, to) ( \
	(to == confirmed && canceled[saleOf[c]] != 0) || \
	(to == rejected && (said[CURRENT(c)] == no || answer[CURRENT(c)] == refusal)) || \
	(to == notCanceled && (word[c] || charged[c] != none)))

#define OPEN_TOO(o, c) (o != c && saleOf[o] == saleOf[c] && OPEN(state[o]))
#define IN_FLIGHT_TOO(o, c) (o != c && (state[o] == sending || state[o] == accepted))
/* But for a sale that is known to be canceled: its push can do no more harm
 * than to be declined (README.md, "What it brought out"). */
#define LIVE_TOO(o, c) (o != c && CAN_ACT(o) && state[o] != confirmed && state[c] != confirmed && !tardy[o])

#ifdef REACH
c_decl {
	static long moved[16][16];
	static const char *saw[64];
	static int told;
	static void tell(void) {
		int f, t;
		for (f = 0; f < 16; f++) for (t = 0; t < 16; t++)
			if (moved[f][t]) printf("moved %d %d\n", f, t);
		for (f = 0; f < 64 && saw[f]; f++) printf("saw %s\n", saw[f]);
	}
	static void note(int f, int t) {
		if (!told) { told = 1; atexit(tell); }
		moved[f][t]++;
	}
	static void see(const char *what) {
		int i = 0;
		while (saw[i] && saw[i] != what) i++;
		saw[i] = what;
	}
}
hidden byte from_, to_;
#define NOTE(from, to) from_ = from; to_ = to; c_code { note(from_, to_); }
#define SAW(when, what) if :: when -> c_code { see(what); } :: else fi
#else
#define NOTE(from, to) skip
#define SAW(when, what) skip
#endif

/* ---- Transactions: each is used inside atomic. ---- */

/* move: from the state that was read, if the table has it. */
inline move(c, to) {
	NOTE(state[c], to);
	CLAIM(P8_confirmed_is_final, state[c] != confirmed);
	CLAIM(P0_a_move_of_the_table, MOVE(state[c], to));
	CLAIM(P4_unknown_left_only_by_evidence, state[c] != unknown || EVIDENCE(c, to));
	state[c] = to;
	if :: to != unknown -> charged[c] = none :: else fi; /* what is read of it now changes nothing */
	CLAIM(P1_one_open_case, !OPEN(to) || !ANY_CASE(OPEN_TOO, c));
	CLAIM(P9_one_push_per_terminal, (to != sending && to != accepted) || !ANY_CASE(IN_FLIGHT_TOO, c));
	TRUE_OF(c)
}

/* open: a case of the sale, from a person or from the terminal. */
inline open(s, as) {
	saleOf[cases] = s;
	latest[s] = cases + 1;
	NOTE(none, as);
	state[cases] = as;
	cases++;
	CLAIM(P1_one_open_case, !OPEN(as) || !ANY_CASE(OPEN_TOO, cases - 1));
	TRUE_OF(cases - 1)
}

#define REQUESTED_OF(o, s) (state[o] == requested && saleOf[o] == s)
#define CONFIRMED_OF(o, s) (state[o] == confirmed && saleOf[o] == s)
#define OPEN_OF(o, s) (OPEN(state[o]) && saleOf[o] == s)

/* What may come into being: with two sales, one case each, in this order (they
 * differ in nothing; two cases of one sale are the other search). */
#if SALES > 1
#define ROOM(s) (cases == s)
#else
#define ROOM(s) (cases < CASES)
#endif

/* A person may ask: window open, nothing under way, not known to be canceled. */
#define REQUESTABLE(s) (!closed && ROOM(s) && !ANY_CASE(OPEN_OF, s) && !ANY_CASE(CONFIRMED_OF, s))

#define TAKE_BACK(o) if :: REQUESTED_OF(o, sale_) -> move(o, withdrawn) :: else fi
hidden byte sale_;

/* positive: counts at any time, also over a closed case. */
inline positive(c) {
	if
	:: state[c] == confirmed -> SAW(true, "a positive posted again")
#ifdef MISTAKE_POSITIVE_TOO_LATE
	:: state[c] != confirmed && !OPEN(state[c]) -> skip
	:: OPEN(state[c]) ->
#else
	:: else ->
#endif
		SAW(state[c] == sending, "a positive before the acknowledgement");
		SAW(!OPEN(state[c]), "a late positive over a closed case");
		move(c, confirmed);
		sale_ = saleOf[c];
		EACH_CASE(TAKE_BACK)
	fi;
	CLAIM(P8_positive_always_wins, state[c] == confirmed)
}

/* negative: with the number of the attempt whose id it carries, or 0. */
inline negative(c, n) {
	was_ = state[c];
	if
#ifdef MISTAKE_UNCONFIRM
	:: state[c] == confirmed && n == attempts[c] -> move(c, rejected)
#endif
#ifdef MISTAKE_OLD_NEGATIVE
	:: n != 0 && n != attempts[c] && MOVE(state[c], rejected) -> move(c, rejected)
#endif
#ifdef MISTAKE_NEGATIVE_WITHOUT_ID
	:: n == 0 && MOVE(state[c], rejected) -> move(c, rejected)
#endif
	:: n != 0 && n == attempts[c] && MOVE(state[c], rejected) ->
		SAW(state[c] == sending, "a negative before the acknowledgement");
		move(c, rejected)
	:: else ->
		SAW(n != 0 && n != attempts[c] && OPEN(state[c]), "a negative of attempt 1 during attempt 2");
		SAW(n == attempts[c] && state[c] == confirmed, "a negative of a confirmed case")
	fi;
	CLAIM(P7_old_negative_changes_nothing, state[c] == was_ || (n != 0 && n == attempts[c]));
	was_ = none
}
hidden mtype was_;

/* begin: the attempt and the move to sending, in one transaction. */
inline begin(c) {
	attempts[c]++;
	due[c] = false;
	quiet[c] = false;
	move(c, sending)
}

/* first: the first byte leaves. What will become of it is drawn here: the
 * service hands it on and says so, or nothing is heard of that, or it refuses.
 * A push that is lost on the way is one on which the terminal never acts. */
inline first(c, n) {
	CLAIM(P2_attempt_committed_before_byte, n != 0 && attempts[c] >= n);
	CLAIM(P5_no_byte_after_cutoff, !closed || tardy[c]);
	CLAIM(P3_delivered_at_most_once, push[AT(c, n)] == kept);
	CLAIM(P3_no_resend_after_bytes, !LEFT(c));
	CLAIM(P9_no_push_over_a_live_one, !ANY_CASE(LIVE_TOO, c) || tardy[c]);
	SAW(state[c] == confirmed, "a byte after somebody canceled by hand");
	if
	:: push[AT(c, n)] = live; answer[AT(c, n)] = ack
	:: push[AT(c, n)] = live
	:: push[AT(c, n)] = gone; answer[AT(c, n)] = refusal
	fi;
	TRUE_OF(c)
}

/* conclude: what came of the attempt, if the case still waits for it. */
inline conclude(c, n, got) {
	if
	:: attempts[c] != n -> skip
	/* Bytes left late, and others have gone on: the quiet time begins anew, answers from
	 * before it count no more, and what was concluded is contradicted. */
	:: attempts[c] == n && tardy[c] && state[c] != sending && got != refusal && got != unsent ->
		owned[c] = true;
		if
#ifdef MISTAKE_LATE_UNSAID
		:: true -> skip
#else
		:: state[c] == unknown ->
			SAW(quiet[c], "late bytes of a doubt whose quiet time was over");
#ifndef MISTAKE_LATE_QUIET
			quiet[c] = false;
			if :: charged[c] == late -> charged[c] = early :: else fi
#endif
		:: state[c] == notCanceled ->
			SAW(true, "late bytes of what was called still charged");
			raised[c] = true; quiet[c] = false
		:: else -> skip
#endif
		fi;
		TRUE_OF(c)
	:: attempts[c] == n && state[c] == unknown && got == refusal ->
		SAW(true, "a refusal after the attempt was taken for interrupted");
		move(c, rejected)
	:: attempts[c] == n && state[c] == sending ->
		due[c] = true;
		if
#ifdef MISTAKE_LOST_IS_UNSENT
		:: got == unsent || got == silence ->
#else
		:: got == unsent ->
#endif
			move(c, requested);
			if
			:: closed -> move(c, expired)
			:: !closed && attempts[c] == ATTEMPTS -> move(c, withdrawn)
			:: else -> SAW(true, "sent back, to be sent again")
			fi
#ifdef MISTAKE_ACK_IS_CANCELED
		:: got == ack -> move(c, confirmed)
#else
		:: got == ack -> move(c, accepted)
#endif
		:: got == refusal -> move(c, rejected)
#ifdef MISTAKE_RESEND
		:: got == silence && attempts[c] < ATTEMPTS -> move(c, requested)
		:: got == silence && attempts[c] == ATTEMPTS -> move(c, unknown)
#elif defined(MISTAKE_LOST_IS_FAILED)
		:: got == silence -> move(c, rejected)
#elif defined(MISTAKE_LOST_IS_UNSENT)
#else
		:: got == silence -> move(c, unknown)
#endif
		fi
	:: else -> SAW(got == ack, "an acknowledgement that nobody waits for any more")
	fi
}

/* What need not happen: people, terminals and posts may rest for ever. Only
 * jobs and clocks go on; and, where doubts must end, supervisors. It matters to
 * what must happen alone, so the other searches do without. */
#ifdef LIVENESS
#define MAY_REST :: atomic { true -> skip }
#else
#define MAY_REST
#endif
#ifdef DILIGENT
#define SUPERVISOR_MAY_REST
#else
#define SUPERVISOR_MAY_REST MAY_REST
#endif

/* ---- People. ---- */

/* What opens a case, and when; the same click is the same case, whatever became
 * of that, so a second press does nothing. */
#define MAY_ASK(p, s) (REQUESTABLE(s) && !clicked[(p) * SALES + s] && AFTER_THE_FIRST(p, s))
/* They differ in nothing, so the one who asks first is called 0. */
#ifdef MISTAKE_CHECK_THEN_OPEN
#define AFTER_THE_FIRST(p, s) true
#else
#define AFTER_THE_FIRST(p, s) (p == 0 || clicked[s])
#endif
#ifdef MISTAKE_CLICK_TWICE
#undef MAY_ASK
#define MAY_ASK(p, s) (REQUESTABLE(s) && AFTER_THE_FIRST(p, s))
#endif

inline request(p, s) {
	SAW(latest[s] != 0, "a second case of the sale");
	CLAIM(P1_one_case_per_click, !clicked[(p) * SALES + s]);
	clicked[(p) * SALES + s] = true;
	open(s, requested)
}

#ifdef MISTAKE_WITHDRAW_WHILE_SENDING
#define WITHDRAW(c) :: atomic { state[c] == requested || state[c] == sending -> move(c, withdrawn) }
#else
#define WITHDRAW(c) :: atomic { state[c] == requested -> move(c, withdrawn) }
#endif

proctype person(byte p) {
	do
#ifdef MISTAKE_CHECK_THEN_OPEN
	:: MAY_ASK(p, 0) -> atomic { cases < CASES -> request(p, 0) } /* looked, and then wrote */
#else
	:: atomic { MAY_ASK(p, 0) -> request(p, 0) }
#endif
#if SALES > 1
	:: atomic { MAY_ASK(p, 1) -> request(p, 1) }
#endif
	WITHDRAW(0)
#if CASES > 1
	WITHDRAW(1)
#endif
#if CASES > 2
	WITHDRAW(2)
#endif
	MAY_REST
	od
}

/* A supervisor speaks by evidence, and the evidence is what is so: a ticket is
 * there only when the sale is canceled. That it is not may change afterwards. */
proctype supervisor(byte c) {
	do
#ifndef MISTAKE_NOBODY_SETTLES
	:: atomic { state[c] == unknown && !canceled[saleOf[c]] ->
		SAW(!quiet[c], "a supervisor's word before the quiet time is over");
		word[c] = true; move(c, notCanceled) }
#endif
	:: atomic { state[c] != none && state[c] != confirmed && canceled[saleOf[c]] ->
		SAW(state[c] == sending, "a ticket in the hand while sending");
		positive(c) }
	SUPERVISOR_MAY_REST
	od
}

/* ---- Worker processes: one of them may die anywhere, and starts anew. ---- */

/* Another case still occupies the terminal. Of cases that were never sent the
 * first goes first. */
#define OCCUPIES(o, c) (o != c && ( \
	state[o] == sending || state[o] == accepted || \
	((state[o] == unknown || state[o] == notCanceled) && !quiet[o]) || \
	(state[o] == requested && o < c && attempts[o] == 0)))
#ifdef MISTAKE_SECOND_PUSH
#undef OCCUPIES
#define OCCUPIES(o, c) false
#endif
#ifdef MISTAKE_QUIET_FORGOTTEN
#undef OCCUPIES
#define OCCUPIES(o, c) (o != c && (state[o] == sending || state[o] == accepted))
#endif
#define MAY_BEGIN(c) (state[c] == requested && !closed && !ANY_CASE(OCCUPIES, c))

/* The processes differ in nothing: the second works only while the first does. */
bit working;
#define FREE (w == 0 || working)
#define AT_WORK working = true
#define FORGET working = (w != 0 && working); answer[AT(c, n)] = silence; c = 0; n = 0; got = silence

#ifdef MISTAKE_NO_COMPARE_AND_SET
#define TAKE(x) :: FREE && MAY_BEGIN(x) -> AT_WORK; c = x; atomic { n = 1; attempts[c] = 1; due[c] = false; state[c] = sending }
#elif defined(MISTAKE_SEND_BEFORE_COMMIT)
#define TAKE(x) :: atomic { FREE && MAY_BEGIN(x) -> AT_WORK; c = x; n = attempts[c] + 1; first(c, n) }; atomic { begin(c) }
#else
#define TAKE(x) :: atomic { FREE && MAY_BEGIN(x) -> AT_WORK; c = x; begin(c); n = attempts[c] }
#endif

/* The gate on the connection looks at both clocks when the first byte leaves. */
#ifdef MISTAKE_SEND_AFTER_CUTOFF
#define GATE(c) (!due[c])
#elif defined(MISTAKE_SEND_AFTER_DEADLINE)
#define GATE(c) (!closed)
#else
#define GATE(c) (!closed && !due[c])
#endif

/* Between the gate and the kernel a process may be frozen: then bytes leave after the
 * deadline, and nothing can prevent it. It is searched with one sale: what must happen,
 * and whose push is on a terminal, is not changed by it. */
#if SALES > 1 || defined(LIVENESS)
#define FROZEN_PAST_THE_GATE
#else
#define FROZEN_PAST_THE_GATE \
	:: GATE(c) -> \
		if \
		:: atomic { due[c] -> tardy[c] = true; SAW(state[c] != sending, "bytes that left late"); first(c, n) } \
		:: atomic { !due[c] && state[c] != sending -> tardy[c] = closed; first(c, n) } \
		fi
#endif

#define DIES(where) :: atomic { true -> SAW(true, where); FORGET; goto idle }

proctype worker(byte w) {
	byte c, n;
	mtype got;
idle:
	if
	TAKE(0)
#if CASES > 1
	TAKE(1)
#endif
#if CASES > 2
	TAKE(2)
#endif
	fi;
	/* The attempt is committed. */
	if
	:: atomic { GATE(c) -> first(c, n) }
	FROZEN_PAST_THE_GATE
	:: true -> got = unsent; goto heard /* dial, DNS, TLS; or the gate is shut */
	DIES("a crash after the attempt's commit")
	fi;
	/* Bytes have left. */
	if
	:: atomic { answer[AT(c, n)] != silence -> got = answer[AT(c, n)] }
	:: true /* timeout, reset, cut, HTML, an unknown code */
#ifdef MISTAKE_CLIENT_TRIES_AGAIN
	:: atomic { GATE(c) -> first(c, n) } /* as a client does that takes a POST for harmless */
#endif
	DIES("a crash after the bytes left")
	fi;
heard:
	if
	:: atomic { conclude(c, n, got); FORGET; goto idle }
	DIES("a crash before the outcome's commit")
	fi
}

/* The tasks that wait for time to pass; the sweep brings back a lost one. */
proctype jobs(byte c) {
	do
	:: atomic { state[c] == requested && closed -> move(c, expired) }
#ifdef MISTAKE_NO_RECOVERY
#elif defined(MISTAKE_RECOVER_RESENDS)
	:: atomic { state[c] == sending && due[c] -> move(c, requested) }
#else
	:: atomic { state[c] == sending && due[c] ->
		SAW(!LEFT(c), "taken for interrupted, nothing had left");
		SAW(LEFT(c), "taken for interrupted, bytes had left");
		move(c, unknown) }
#endif
	:: atomic { state[c] == accepted -> SAW(quiet[c], "no result until the quiet time was over"); move(c, unknown) }
#ifdef MISTAKE_DOUBT_TIMES_OUT
	:: atomic { state[c] == unknown && closed && quiet[c] -> move(c, notCanceled) }
#endif
	od
}

/* ---- The database. ---- */

/* Once, the database turns out to be a copy, a promoted standby or an older state of
 * itself. What it calls requested may have left from the other, as the attempt that
 * follows, of which it does not know; so it is a doubt before anything is sent here.
 * The other sends one push at a time as well. */
#define SENT_THERE(c) (!closed && !ANY_CASE(IN_FLIGHT_TOO, c) && !ANY_CASE(LIVE_TOO, c))
#ifdef MISTAKE_COPY_SENDS
#define COPIED(c) \
	if \
	:: state[c] == requested && SENT_THERE(c) -> push[AT(c, attempts[c] + 1)] = live \
	:: else -> skip \
	fi
#else
#define COPIED(c) \
	if \
	:: state[c] == requested -> \
		attempts[c]++; due[c] = true; quiet[c] = false; \
		if \
		:: SENT_THERE(c) -> push[CURRENT(c)] = live; SAW(true, "a copy of what the other has sent") \
		:: true -> SAW(true, "a copy of what nobody has sent") \
		fi; \
		move(c, unknown) \
	:: else -> skip \
	fi
#endif

proctype database() {
	if
	:: atomic { true -> EACH_CASE(COPIED) }
	MAY_REST
	fi
}

/* ---- Time. ---- */

proctype cutoff() {
	closed = true
}

proctype clock(byte c) {
	do
	:: atomic { state[c] == sending && !due[c] -> due[c] = true }
	:: atomic { (state[c] == accepted || state[c] == unknown || state[c] == notCanceled) && !quiet[c] -> quiet[c] = true;
		/* What quiet time means: no terminal acts on a push after it. */
		if :: push[AT(c, 1)] == live -> push[AT(c, 1)] = gone :: else fi;
		if :: push[AT(c, 2)] == live -> push[AT(c, 2)] = gone :: else fi }
	od
}

/* ---- The terminal. ---- */

#define ACT(n) \
	:: atomic { push[AT(c, n)] == live && !canceled[saleOf[c]] -> push[AT(c, n)] = gone; said[AT(c, n)] = yes; \
		SAW(state[c] == notCanceled, "a push done after a supervisor said it was not"); \
		canceled[saleOf[c]] = c + 1; TRUE_OF(c) } \
	:: atomic { push[AT(c, n)] == live -> push[AT(c, n)] = gone; said[AT(c, n)] = no } /* declined, abandoned, or canceled before */

proctype terminal(byte c) {
	do
	ACT(1)
	ACT(2)
	/* The answer to an inquiry. That it was put before the answer came is all
	 * that matters of it; V is with the positives. */
	:: atomic { state[c] == unknown && !canceled[saleOf[c]] && !quiet[c] && charged[c] == none -> charged[c] = early }
	:: atomic { state[c] == unknown && !canceled[saleOf[c]] && quiet[c] && charged[c] != late -> charged[c] = late }
	MAY_REST
	od
}

/* Somebody cancels on the device itself. */
proctype device(byte s) {
	if
	:: atomic { !canceled[s] -> canceled[s] = BY_HAND }
	MAY_REST
	fi
}

/* ---- The results door: what was once posted is read now, later, again. ---- */

#define READ(n) \
	:: atomic { said[AT(c, n)] == yes -> positive(c) } \
	:: atomic { said[AT(c, n)] == no -> negative(c, n) } \
	:: atomic { attempts[c] > n && n < ATTEMPTS -> negative(c, n) } /* an old id, whoever has it */

proctype results(byte c) {
	do
	READ(1)
	READ(2)
	/* A negative without an id of ours: somebody left the device's own menu; or
	 * one that carries the id of an earlier case, matched by the order. */
	:: atomic { state[c] != none -> negative(c, 0) }
#ifdef MISTAKE_CHARGED_TOO_EARLY
	:: atomic { charged[c] == early && state[c] == unknown -> move(c, notCanceled) }
#elif defined(MISTAKE_OLD_ANSWER)
	:: atomic { charged[c] == early && quiet[c] && state[c] == unknown -> move(c, notCanceled) }
#else
	:: atomic { charged[c] == early && state[c] == unknown -> SAW(quiet[c], "charged, said early and posted late") }
#endif
	:: atomic { charged[c] == late && latest[saleOf[c]] == c + 1 && state[c] == unknown ->
		SAW(true, "charged, by an inquiry"); move(c, notCanceled) }
	MAY_REST
	od
}

/* Positives that carry no id of ours are anybody's: of a cancellation by hand, or
 * made up. They move nothing. An inquiry of ours is sent after them, and its V, which
 * is so at that moment, is about the latest case. */
proctype positives(byte s) {
	do
	:: atomic { canceled[s] && latest[s] != 0 -> positive(latest[s] - 1) } /* an inquiry's V */
	:: atomic { canceled[s] == BY_HAND && latest[s] == 0 && ROOM(s) -> open(s, confirmed) }
#ifdef MISTAKE_UNIDENTIFIED_COUNTS
	:: atomic { latest[s] != 0 -> positive(latest[s] - 1) }
#elif defined(MISTAKE_UNIDENTIFIED_OPENS)
	:: atomic { latest[s] == 0 && ROOM(s) -> open(s, confirmed) }
#else
	:: atomic { !canceled[s] -> SAW(latest[s] != 0, "a positive that somebody made up") }
#endif
	MAY_REST
	od
}

#define CASE(c) run supervisor(c); run jobs(c); run clock(c); run terminal(c); run results(c)
#define SALE(s) run device(s); run positives(s)

init {
	atomic {
		run person(0); run person(1);
		run worker(0); run worker(1);
		run cutoff();
#ifndef ORIGINAL
		run database();
#endif
		EACH_CASE(CASE);
		SALE(0);
#if SALES > 1
		SALE(1);
#endif
	}
}

#ifdef LIVENESS
/* While jobs and clocks keep running, a case leaves requested, sending and
 * accepted: to its end, or to where people see it. And while supervisors look at
 * doubts, those end too. Weak fairness: whoever can go on for ever, once does. */
#define WAITS(c, x) (state[c] == requested || state[c] == sending || state[c] == accepted)
#define LEAVES(c, x) ([] (WAITS(c, x) -> <> !WAITS(c, x)))
#define ENDS(c, x) ([] (state[c] == unknown -> <> (state[c] != unknown)))
#if CASES == 1
ltl L1_no_case_is_stuck { LEAVES(0, 0) }
ltl L2_doubts_end { ENDS(0, 0) }
#else
ltl L1_no_case_is_stuck { LEAVES(0, 0) && LEAVES(1, 0) }
ltl L2_doubts_end { ENDS(0, 0) && ENDS(1, 0) }
#endif
#endif
