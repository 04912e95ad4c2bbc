package samples

import (
	"encoding/json"

	"github.com/a-h/templ"

	"veinte/models"
	auditview "veinte/views/audit"
)

func sampleVerification() *auditview.VerificationView {
	ended := sampleAt("19:40:12")
	check := func(id int64, s models.VerificationState, r *models.Verified) models.Verification {
		x := models.Verification{ID: id, State: s, ActorID: 7, ActorName: "Eva Ruiz", StartedAt: sampleAt("19:40:00"), SeenAt: ended, EndedAt: &ended, Done: 12345, Total: 12345}
		if r != nil {
			x.Result, _ = json.Marshal(r)
		}
		return x
	}
	good := &models.Verified{Size: 12345, Root: "BwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", Checked: 12345, Checkpoints: 210, Outside: 1, Signed: true, Unsealed: 2, Archived: 900}
	first := &models.VerifiedFinding{Code: models.FindFields, EntryID: 1204, N: 1203, Detail: "amount", At: &ended}
	bad := &models.Verified{Size: 12345, Checked: 12345, Checkpoints: 210, Wrong: 30, First: first, Findings: []*models.VerifiedFinding{first, {Code: models.FindTailCut, N: 12345}}}
	return &auditview.VerificationView{
		Page: samplePage(models.Supervisor, "/audit/verification", "19:52:03"),
		VerificationPage: models.VerificationPage{
			List: []models.Verification{
				check(5, models.VerificationIntact, good), check(4, models.VerificationAltered, bad), check(3, models.VerificationInterrupted, nil),
				check(2, models.VerificationFailed, nil), check(1, models.VerificationUndecided, &models.Verified{Size: 1}),
			},
			Next: "older", Origin: "tienda.example/bitacora", Latest: &models.Checkpoint{Size: 12345, Root: [32]byte{7}, SealedAt: sampleAt("19:51:58"), Note: "tienda.example/bitacora\n12345\n"},
			PublicKeys: []string{"tienda.example/bitacora+3fe1b2c4+AaDk1nLqk1vWf0oYb0y8fUu0cJrI9cRrr2m0mP0d0x1k"},
		},
		Months: []models.TrailMonth{
			{Month: "2026-11", Entries: 11445, Exact: true, Bytes: 9 << 20},
			{Month: "2026-10", Entries: 2100000, Bytes: 1800 << 20},
			{Month: "2026-09", Entries: 900, Exact: true, At: sampleAt("10:00:00"), By: "raquel", Archived: &models.ArchivedMonth{Month: "2026-09", SHA256: "CQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}},
			{Entries: 3},
		},
	}
}

func addVerificationPages(pages map[string]templ.Component) {
	pages["verification"] = auditview.Verification(sampleVerification())
	pages["part-verification"] = auditview.VerificationBody(sampleVerification())
	altered := sampleVerification()
	altered.List, altered.Outside, altered.PublicKeys = altered.List[1:], true, nil
	pages["verification-altered"] = auditview.Verification(altered)
	running := sampleVerification()
	running.List[0] = models.Verification{ID: 6, State: models.VerificationRunning, ActorName: "Eva Ruiz", StartedAt: running.Now, Done: 5000, Total: 12345}
	pages["verification-running"] = auditview.Verification(running)
	gone := &auditview.GoneEntryView{Page: samplePage(models.Supervisor, "/audit/1204", "19:52:03"), Entry: models.GoneEntry{ID: 1204, N: 1203, At: sampleAt("10:00:00")}}
	pages["audit-entry-missing"] = auditview.GoneEntry(gone)
	archived := *gone
	archived.Entry.Month = &sampleVerification().Months[2]
	pages["audit-entry-archived"] = auditview.GoneEntry(&archived)
	unsealed := sampleVerification()
	unsealed.VerificationPage = models.VerificationPage{}
	pages["verification-unsealed"] = auditview.Verification(unsealed)
}
