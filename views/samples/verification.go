package samples

import (
	"encoding/json"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/audit/attest"
	"veinte/models/audit/compare"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	auditview "veinte/views/audit"
)

func (s Shop) verification() *auditview.VerificationView {
	ended := s.At("19:40:12")
	since, until, resumed := s.At("07:10:00"), s.At("19:39:58"), s.At("07:55:00")
	check := func(id int64, state verify.RunState, r *verify.Verified) verify.Verification {
		x := verify.Verification{
			ID: id, State: state, ActorID: 7, ActorName: "Eva Ruiz", StartedAt: s.At("19:40:00"), SeenAt: ended, EndedAt: &ended, Done: 12345,
			Total: 12345,
		}
		if r != nil {
			x.Result, _ = json.Marshal(r)
		}
		return x
	}
	good := &verify.Verified{
		Size: 12345, Root: "BwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", Checked: 12345, Checkpoints: 210, Outside: 1, Signed: true,
		Unsealed: 2, Archived: 900, Whole: &verify.Whole{
			Since: &since, Until: &until, Oldest: &until, Months: 1, Keys: []time.Time{s.At("08:30:00")},
			Stops: []verify.Stop{{Trouble: sealing.Shorter, Sealed: 9100, Seen: 9420, StoppedAt: since, ResumedAt: &resumed}},
		},
		Remarks: []verify.Finding{{Code: verify.RemarkClock, EntryID: 873, N: 872, At: s.At("11:02:00")}},
	}
	first := &verify.Finding{Code: verify.FindFields, EntryID: 1204, N: 1203, Detail: "amount", At: ended}
	bad := &verify.Verified{
		Size: 12345, Checked: 12345, Checkpoints: 210, Wrong: 30, First: first,
		Findings: []verify.Finding{*first, {Code: verify.FindTruncated, N: 12345}},
	}
	return &auditview.VerificationView{
		Page: s.Page(models.Supervisor, "/audit/verification", "19:52:03"),
		Comparison: &compare.Comparison{
			At: s.At("03:00:00"), State: compare.Intact, Compared: 2301, NotBound: 40,
			Result: []byte(`{"entries":12345,"tables":[{"name":"sales","compared":2301,"notBound":40,"roles":["postgres"]}]}`),
		},
		Overview: verify.Overview{
			List: []verify.Verification{
				check(5, verify.RunIntact, good), check(4, verify.RunAltered, bad), check(3, verify.RunInterrupted, nil),
				check(2, verify.RunFailed, nil), check(1, verify.RunUndecided, &verify.Verified{Size: 1}),
			},
			Next: "older", Origin: "tienda.example/bitacora",
			Latest:     &sealing.Checkpoint{Size: 12345, Root: [32]byte{7}, SealedAt: s.At("19:51:58"), Note: "tienda.example/bitacora\n12345\n"},
			PublicKeys: []string{"tienda.example/bitacora+3fe1b2c4+AaDk1nLqk1vWf0oYb0y8fUu0cJrI9cRrr2m0mP0d0x1k"},
		},
		Attesters: s.attesters(),
		Months: []verify.Month{
			{Month: "2026-11", Entries: 11445, Exact: true, Bytes: 9 << 20},
			{Month: "2026-10", Entries: 2100000, Bytes: 1800 << 20},
			{Month: "2026-09", Entries: 900, Exact: true, At: s.At("10:00:00"), By: "raquel", Archived: &verify.ArchivedMonth{
				Month: "2026-09", SHA256: "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
			}},
			{Entries: 3},
		},
	}
}

// attesters are an authority that stamps, one that has not yet, and a witness that is away.
func (s Shop) attesters() []attest.Attester {
	stamped, signed, since := s.At("19:40:12"), s.At("11:00:03"), s.At("12:00:31")
	return []attest.Attester{
		{Kind: attest.Stamps, Name: "freetsa.org/tsr", Address: "https://freetsa.org/tsr", Size: 12301, SignedAt: &stamped},
		{Kind: attest.Stamps, Name: "psc.example", Address: "https://psc.example/tsa"},
		{
			Kind: attest.Cosignature, Name: "testigo.franquicia.example", Address: "https://testigo.franquicia.example", Size: 11870,
			SignedAt: &signed, Trouble: attest.Away, Detail: "it answers 502 Bad Gateway", TroubleSince: &since, NextAt: s.At("19:58:00"),
		},
	}
}

func (s Shop) addVerificationPages(pages map[string]templ.Component) {
	pages["verification"] = auditview.Verification(s.verification())
	pages["part-verification"] = auditview.VerificationBody(s.verification())
	altered := s.verification()
	altered.List, altered.Outside, altered.PublicKeys = altered.List[1:], true, nil
	altered.Comparison = &compare.Comparison{
		At: s.At("03:00:00"), State: compare.Altered, Compared: 2301, NotBound: 40, Archived: 900, Differences: 3,
		Result: []byte(`{"entries":12345,"tables":[{"name":"sales","compared":2301,"notBound":40,"archived":900,"differences":3,` +
			`"roles":["postgres","veinte_owner"]}]}`),
	}
	altered.Differences = []compare.Difference{
		{Kind: compare.Changed, Table: "sales", Row: "7", Field: "amount", Recorded: "1250.00", Found: "1.00", EntryID: 1204, SaleID: 7},
		{Kind: compare.Missing, Table: "cancellations", Row: "9", Recorded: "confirmed", EntryID: 1210, SaleID: 7},
	}
	altered.Attesters[2].Trouble, altered.Attesters[2].Detail = attest.Refused, "it has seen 12400 entries, and the trail has 12345"
	pages["verification-altered"] = auditview.Verification(altered)
	running := s.verification()
	running.List[0] = verify.Verification{
		ID: 6, State: verify.RunRunning, ActorID: 7, ActorName: "Eva Ruiz", StartedAt: running.Now, Done: 5000, Total: 12345,
	}
	pages["verification-running"] = auditview.Verification(running)
	gone := &auditview.GoneEntryView{
		Page: s.Page(models.Supervisor, "/audit/1204", "19:52:03"), Entry: verify.ArchivedEntry{ID: 1204, N: 1203, At: s.At("10:00:00")},
	}
	pages["audit-entry-missing"] = auditview.GoneEntry(gone)
	archived := *gone
	archived.Entry.Month = &s.verification().Months[2]
	pages["audit-entry-archived"] = auditview.GoneEntry(&archived)
	unsealed := s.verification()
	unsealed.Overview = verify.Overview{}
	pages["verification-unsealed"] = auditview.Verification(unsealed)
}

// compared is a comparison of the tables with the trail of this night.
func (s Shop) compared() *compare.Comparison {
	return &compare.Comparison{At: s.At("20:40:00"), State: compare.Intact, Compared: 2301}
}
