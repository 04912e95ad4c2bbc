// Package lab is the laboratory of the experiments below web/lab/chaos. It has a
// private PostgreSQL that can be killed, the sandbox of the payment service as a
// process of its own with its ledger in a file, servers of the product that can be
// killed and restarted, a shop with terminals, users who sign in and post the pages'
// own forms, and a judge who compares the ledger with the product's records.
//
// It knows the product from outside: its command line, its settings, its pages and
// its tables. It knows no experiment and does not import the testing package.
//
// An experiment is a test below web/lab/chaos:
//
//	l, err := lab.Start(ctx, lab.Options{Setup: setup, Durable: true, Servers: 2, Terminals: 40, Managers: 5})
//	if err != nil { … }
//	defer l.Close()
//	a := l.Servers[0]                                     // everybody is signed in
//	b, err := l.Serve(ctx, "CANCEL_BASE_URL=http://…")    // one more; later settings win
//	err = l.PostResultsTo(ctx, a)                         // where terminals post: else to the last
//	sale, err := l.Sell(ctx, lab.Sale{Terminal: 3, Fault: "dropAfterReading"})
//	answer := l.Managers[0].Click(ctx, b, sale.ID, "click-1", true)
//	a.Kill(); err = a.Restart(ctx)                        // kill -9 of a server
//	err = l.KillPostgres(); err = l.StartPostgres(ctx)    // kill -9 of PostgreSQL
//	err = l.Resolved(ctx, 90*time.Second)                 // every cancellation final or unknown
//	resolved, err := l.ResolveByPeople(ctx, a)            // the supervisor ends doubts, with evidence
//	report := lab.NewReport("example", setup)
//	report.Verdict, err = l.Judge(ctx)
//	report.Add("sales a second", 17.5, "")
//
// Random choices come from Rand, which repeats for a seed. A failure of the
// laboratory itself is an error; a mistake of the product is a violation in the
// Verdict or in the Report.
package lab
