package audit

import (
	"context"
	"net/url"
	"strings"
	"time"

	"veinte/models/alerts"
	"veinte/models/audit/attest"
	"veinte/models/audit/compare"
	"veinte/models/audit/verify"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// VerificationView is where people have the trail verified, and learn what it
// takes to do so without trusting this server.
type VerificationView struct {
	ui.Page
	verify.Overview
	Months []verify.Month
	// Attesters are who signs checkpoints beside our own keys.
	Attesters []attest.Attester
	// Comparison is the last one of the tables with the trail, nil when there was none, and
	// Differences what it found in the reader's stores.
	Comparison  *compare.Comparison
	Differences []compare.Difference
	Older       bool // the history does not begin with the latest
	CanMail     bool // a mail server is set
	Mail        alerts.CheckpointMail
	Base        string // the server's address, for commands; "" is not known
	Errors      ui.Errors
}

const verificationPath = "/audit/verification"

func (v *VerificationView) fragment() string {
	return ui.Address(verificationPath, url.Values{"fragment": {"verification"}})
}

func (v *VerificationView) older() string {
	return ui.Address(verificationPath, url.Values{"older": {v.Next}})
}

// last is the verification whose end is shown first; nil when none has ended.
func (v *VerificationView) last() *verify.Verification {
	if v.Older {
		return nil
	}
	for i := range v.List {
		if v.List[i].State != verify.RunRunning {
			return &v.List[i]
		}
	}
	return nil
}

// altered is the last verdict, where it is that the trail was altered; nil otherwise.
// What came to none since then does not make it better.
func (v *VerificationView) altered() *verify.Verification {
	if v.Older {
		return nil
	}
	for i := range v.List {
		switch v.List[i].State {
		case verify.RunAltered:
			return &v.List[i]
		case verify.RunIntact:
			return nil
		}
	}
	return nil
}

// server is the address in commands.
func (v *VerificationView) server() string {
	if v.Base == "" {
		return "$VEINTE_URL"
	}
	return v.Base
}

// key is the public key in commands.
func (v *VerificationView) key() string {
	if len(v.PublicKeys) == 0 {
		return "$VKEY"
	}
	return "'" + v.PublicKeys[0] + "'"
}

// commands are what verifies without this server, each ready to be copied.
func (v *VerificationView) commands() []verificationCommand {
	return []verificationCommand{
		{"export", "veinte audit verify --file veinte-bitacora.jsonl --key " + v.key() + " --checkpoint checkpoint.txt"},
		{"database", "DATABASE_URL=… veinte audit verify --key " + v.key() + " --checkpoint checkpoint.txt"},
		{"proof", "veinte audit verify --proof veinte-prueba-123.json --key " + v.key()},
		{
			"witness",
			strings.Join(
				[]string{
					"VEINTE_API_KEY_FILE=api.key veinte audit witness --every 1m", "--url " + v.server(), "--key " + v.key(), "--state witness.json",
				},
				" \\\n  ",
			),
		},
	}
}

// verificationCommand is a command; name is the end of its heading's key.
type verificationCommand struct{ name, text string }

// verdictWords says in a sentence what a verification came to.
func verdictWords(ctx context.Context, x *verify.Verification) string {
	r := x.Verified()
	if r == nil {
		return locale.T(ctx, "verification.is."+string(x.State))
	}
	return locale.T(ctx, "verification.is."+string(x.State), "Count", int(r.Size), "N", ui.Number(r.Size), "Wrong", ui.Number(r.Wrong))
}

// findingWords says what is wrong with which entry. The details name what is in
// entries, so they are for those who see every store.
func (v *VerificationView) findingWords(ctx context.Context, f *verify.Finding) string {
	args := []any{"Entry", ui.Number(f.EntryID), "N", ui.Number(f.N), "Detail", ""}
	text := maybeWith(ctx, f.Code, args)
	if fields := words.SealedColumns(ctx, f.Detail); v.Actor.AllStores && f.Code == verify.FindFields && fields != "" {
		text = locale.T(ctx, "verification.fields", "Fields", fields)
	}
	where := ""
	switch {
	case f.EntryID != 0:
		where = locale.T(ctx, "verification.entry", "Entry", ui.Number(f.EntryID)) + ": "
	case f.N >= 0:
		where = locale.T(ctx, "verification.place", "N", ui.Number(f.N)) + ": "
	}
	return where + text
}

// findingDetail is what a finding says to who examines the trail with tools of their own.
func findingDetail(ctx context.Context, f *verify.Finding) string {
	if f.EntryID == 0 {
		return f.Detail
	}
	return locale.T(ctx, "verification.entry", "Entry", ui.Number(f.EntryID)) + ": " + f.Detail
}

// askedBy says who asked for a verification.
func askedBy(ctx context.Context, x *verify.Verification) string {
	if x.Nightly() {
		return locale.T(ctx, "verification.nightly")
	}
	return x.ActorName
}

func maybeWith(ctx context.Context, code string, args []any) string {
	if locale.Has(code) {
		return locale.T(ctx, code, args...)
	}
	return code
}

// differs reports whether the tables were not as the trail recorded them: that comes first.
func (v *VerificationView) differs() bool {
	return v.Comparison != nil && v.Comparison.State == compare.Altered
}

func comparisonLook(s compare.State) (look, picture string) {
	switch s {
	case compare.Intact:
		return "confirmed", "circle-check"
	case compare.Altered:
		return "rejected", "circle-x"
	}
	return "unknown", "circle-question-mark"
}

func verificationLook(s verify.RunState) (look, picture string) {
	switch s {
	case verify.RunIntact:
		return "confirmed", "circle-check"
	case verify.RunRunning:
		return "requested", "clock"
	case verify.RunAltered:
		return "rejected", "circle-x"
	}
	return "unknown", "circle-question-mark"
}

// monthWords names a month of the trail: noviembre 2026.
func monthWords(ctx context.Context, m *verify.Month) string {
	first, err := time.Parse("2006-01", m.Month)
	if err != nil {
		return locale.T(ctx, "retention.rest")
	}
	return ui.Months[locale.Of(ctx)][first.Month()-1] + " " + first.Format("2006")
}

func monthCount(ctx context.Context, m *verify.Month) string {
	if m.Exact {
		return ui.Number(m.Entries)
	}
	return locale.T(ctx, "retention.about", "N", ui.Number(m.Entries))
}
