package views

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/sealing"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	"veinte/views/words"
)

// TestLettersReadWell in both languages: no key, no empty place, no line that a
// name could break.
func TestLettersReadWell(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"es-MX", "en"} {
		for _, a := range shop.Alerts() {
			subject, text := oversightview.Letter(
				&alerts.Mail{Alert: &a, Language: language, More: int(a.ID) % 3, CreatedAt: a.RaisedAt}, "https://veinte.example",
				window(t).Calendar.Zone(),
			)
			for _, bad := range []string{"alertSays.", "alertKind.", "mail.", "<no value>", "{{", "!("} {
				if strings.Contains(subject+text, bad) {
					t.Errorf("letter of %s in %s has %q: %s\n%s", a.Kind, language, bad, subject, text)
				}
			}
			if !strings.Contains(text, "https://veinte.example/") || strings.Contains(subject, "\n") {
				t.Errorf("letter of %s: %s\n%s", a.Kind, subject, text)
			}
		}
		ended := &alerts.Ended{
			SaleID: 7, State: models.NotCanceled, StoreName: "Centro", OrderID: "V-1", Amount: 125000, Last4: "4242",
			SoldAt: time.Date(2026, 11, 20, 18, 4, 0, 0, time.UTC), EndedAt: time.Date(2026, 11, 20, 19, 0, 0, 0, time.UTC),
		}
		m := &alerts.Mail{Language: language, Ended: ended}
		subject, text := oversightview.Letter(m, "https://veinte.example", window(t).Calendar.Zone())
		for _, want := range []string{"$1,250.00", "12:04", "Centro", "V-1", "4242", words.StateWord(locale.With(t.Context(), language),
			models.SaleNotCanceled), "https://veinte.example/sales/7"} {
			if !strings.Contains(text, want) {
				t.Errorf("letter of a doubt that ended, in %s, does not say %s: %s", language, want, text)
			}
		}
		for _, bad := range []string{"mail.", "state.", "<no value>", "{{", "!(", "\n\n\n"} {
			if strings.Contains(subject+text, bad) {
				t.Errorf("letter of a doubt that ended, in %s, has %q: %s\n%s", language, bad, subject, text)
			}
		}
		for _, n := range accountNotices() {
			subject, text := oversightview.Letter(&alerts.Mail{Language: language, Notice: &n}, "https://veinte.example", window(t).Calendar.Zone())
			for _, bad := range []string{"accountNotice", "mail.", "<no value>", "{{", "!(", "\n\n\n"} {
				if strings.Contains(subject+text, bad) {
					t.Errorf("letter of %s in %s has %q: %s\n%s", n.Kind, language, bad, subject, text)
				}
			}
			for _, want := range []string{"12:04", n.Address, n.ByName, n.OfName, "https://veinte.example/account"} {
				if !strings.Contains(text, want) {
					t.Errorf("letter of %s in %s does not say %q: %s", n.Kind, language, want, text)
				}
			}
		}
		day, noon := models.Day("2026-11-20"), time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
		for at, old := range map[time.Time]bool{noon: false, noon.AddDate(0, 0, -2): true} {
			c := &sealing.Checkpoint{Size: 12345, SealedAt: at, Note: "tienda.example/bitacora\n12345\n" + tlog.Hash{}.String() + "\n\n" +
				"— tienda.example/bitacora Az3grlgt\n— tsa.example QUJDREVG\n"}
			subject, text := oversightview.Letter(&alerts.Mail{Language: language, CheckpointDay: &day, Checkpoint: c, CreatedAt: noon},
				"https://veinte.example", window(t).Calendar.Zone())
			for _, want := range []string{"12,345", "12:00:00", c.Root.String(), ": tsa.example.", "https://veinte.example/audit/verification"} {
				if !strings.Contains(text, want) {
					t.Errorf("letter with a checkpoint in %s does not say %q: %s", language, want, text)
				}
			}
			if warns := strings.Contains(text, locale.T(locale.With(t.Context(), language), "mail.checkpointOld")); warns != old ||
				strings.Contains(subject+text, "mail.") || strings.Contains(subject+text, "{{") || !strings.Contains(subject, "2026") {
				t.Errorf("letter with a checkpoint of %s in %s: %s\n%s", at, language, subject, text)
			}
		}
		if subject, text := oversightview.Letter(&alerts.Mail{Language: language}, "", time.UTC); subject == "" ||
			strings.Contains(text, "http") {
			t.Errorf("test letter: %s\n%s", subject, text)
		}
	}
}

// accountNotices is one of each kind, as it is told.
func accountNotices() []models.AccountNotice {
	at := time.Date(2026, 11, 20, 18, 4, 0, 0, time.UTC)
	var all []models.AccountNotice
	for _, kind := range []models.AccountNoticeKind{
		models.NoticeNewDevice, models.NoticePasswordChanged, models.NoticePasswordSet, models.NoticeFactorAdded, models.NoticeFactorRemoved,
		models.NoticeRecoveryMade,
	} {
		all = append(all, models.AccountNotice{Kind: kind, At: at, Address: "192.0.2.1", UserAgent: "Mozilla/5.0 (Android 14) Firefox/120.0"})
	}
	return append(all, models.AccountNotice{Kind: models.NoticePasswordReset, At: at},
		models.AccountNotice{Kind: models.NoticeLinkMade, At: at, ByName: "Diego Luna"},
		models.AccountNotice{Kind: models.NoticeFactorReset, At: at, ByName: "Diego Luna"},
		models.AccountNotice{Kind: models.NoticeFactorResetOf, At: at, ByName: "Diego Luna", OfName: "Sofía Méndez"},
		models.AccountNotice{Kind: models.NoticeRightsAsked, At: at, ByName: "Diego Luna", OfName: "Sofía Méndez"})
}

// TestAnAlertCountsRowsAsPeopleDo: one row is one, and named by what it is.
func TestAnAlertCountsRowsAsPeopleDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, facts, want string }{
		{"es-MX", `{"count":1,"row":"sales 41"}`, "1 fila ya no está como la registró la bitácora: Venta 41. " +
			"Alguien la cambió por fuera de Veinte."},
		{"es-MX", `{"count":12,"row":"users 7"}`, "12 filas ya no están como las registró la bitácora; la primera: Persona 7. " +
			"Alguien las cambió por fuera de Veinte."},
		{"en", `{"count":1,"row":"sales 41"}`, "1 row is no longer as the trail recorded it: Sale 41. " +
			"Somebody changed it from outside Veinte."},
	} {
		a := &alerts.Alert{Kind: alerts.KindTables, Facts: []byte(tt.facts)}
		if got := words.AlertSays(locale.With(t.Context(), tt.language), a); got != tt.want {
			t.Errorf("of %s it says %q, want %q", tt.facts, got, tt.want)
		}
	}
}
