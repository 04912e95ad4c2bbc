package samples

import (
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/operations"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

func (s Shop) Connection() *settingsview.ConnectionView {
	now := s.At("19:20:03")
	return &settingsview.ConnectionView{
		Page:      s.Page(models.Administrator, "/settings/connection", "19:20:03"),
		Token:     operations.TokenState{Fetched: true, Cached: true, Ends: now.Add(4 * time.Hour)},
		Clock:     operations.ClockState{Least: 35 * time.Second, Max: 37 * time.Second, MeasuredAt: now.Add(-time.Minute)},
		Ahead:     37 * time.Second,
		Waits:     models.Waits{Answer: 30 * time.Second, Result: 180 * time.Second},
		Inquiries: true,
		Setup: []settingsview.Setting{
			{Name: "CANCEL_BASE_URL", Value: "//servicio.example/gateway"},
			{Name: "TOKEN_PASSWORD", Value: "***"},
			{Name: "INQUIRY_PATH", Value: ""},
			{Name: "RESULTS_SECRET", Value: "//veinte.example/results/***"},
		},
		Test: operations.ConnectionTest{At: now.Add(-time.Minute), By: "Diego Ríos", Steps: []operations.ProbeStep{
			{Step: "dns", OK: true, Code: "found", Note: "servicio.example → 203.0.113.7", Millis: 3},
			{Step: "connect", OK: true, Code: "connected", Note: "203.0.113.7:443", Millis: 21},
			{Step: "tls", OK: true, Code: "certificateSoon", Note: "2026-12-01", Millis: 44},
			{Step: "token", Code: "tokenRefused", Note: "the token operation answered 401, invalid_client", Millis: 90},
			{Step: "answer", OK: true, Code: "answered", Note: "403", Millis: 31},
		}},
		Answers: []operations.ReplyCount{
			{
				Operation: "cancel", Meaning: models.MeaningAccepted, Detail: models.DetailAccepted, Code: "00", Last: now.Add(-time.Minute),
				Day: 41, Week: 1312,
			},
			{
				Operation: "cancel", Meaning: models.MeaningRefused, Detail: models.DetailTerminalNotFound, Code: "19",
				Last: now.Add(-26 * time.Hour), Week: 7,
			},
			{Operation: "inquiry", Meaning: models.MeaningUnknown, Detail: models.DetailTimeout, Last: now.Add(-time.Hour), Day: 2, Week: 9},
			{Operation: "cancel", Meaning: models.MeaningNotSent, Detail: models.DetailDialFailed, Last: now.Add(-3 * time.Hour), Day: 1, Week: 1},
		},
	}
}

func (s Shop) addConnectionPages(pages map[string]templ.Component) {
	pages["connection"] = settingsview.Connection(s.Connection())
	busy := s.Connection()
	busy.Errors = ui.Errors{"": "connection.tooSoon"}
	pages["connection-busy"] = settingsview.Connection(busy)
	pages["connection-new"] = settingsview.Connection(&settingsview.ConnectionView{Page: busy.Page})
}
