package e2e

// trailPages are those of the trail and of oversight, in each state.
func trailPages(sales map[string]string) []place {
	return []place{
		{name: "oversight", role: supervisor, path: "/oversight"},
		{name: "oversight-stores", role: administrator, path: "/oversight?by=store"},
		{name: "oversight-reversed", role: supervisor, path: "/oversight?from=2026-11-20&to=2026-11-01", status: "422"},
		{name: "patterns", role: supervisor, path: "/oversight/patterns"},
		{name: "patterns-late", role: supervisor, path: "/oversight/patterns?kind=late"},
		{name: "patterns-card", role: supervisor, path: "/oversight/patterns?kind=card&times=2"},
		{name: "finding", role: supervisor, path: "/oversight/finding?kind=person&subject=u1", then: func(p *page) { p.see(id("mark-form")) }},
		{name: "finding-refused", role: supervisor, path: "/oversight/finding?kind=person&subject=u1", status: "422", then: func(p *page) {
			p.press(id("mark-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "audit", role: supervisor, path: "/audit", then: func(p *page) {
			if p.count(".folded summary") > 0 {
				p.press(".folded summary")
			}
		}},
		{name: "audit-exports", role: supervisor, path: "/audit/exports?outcome=denied"},
		{name: "sales-export", role: supervisor, path: "/sales/export?state=confirmed"},
		{name: "sales-export-manager", role: manager, path: "/sales/export"},
		{name: "sales-export-refused", role: supervisor, path: "/sales/export?from=2026-11-20&to=2026-11-01", status: "422"},
		{name: "sales-file-refused", role: supervisor, path: "/sales.csv?from=2026-11-20&to=2026-11-01", status: "422"},
		{name: "audit-verification", role: supervisor, path: "/audit/verification"},
		{name: "audit-print", role: supervisor, path: "/audit/print"},
		{name: "audit-filters", role: supervisor, path: "/audit?outcome=success", then: func(p *page) {
			if p.screen.phone {
				p.press(id("trail-filters"))
			} else {
				p.press(id("trail-more-filters"))
			}
			p.see("#f-outcome")
		}},
		{name: "audit-none", role: supervisor, path: "/audit?q=zzzzzz"},
		{name: "audit-filtered", role: supervisor, path: "/audit?outcome=success&min=1.00&q=a"},
		{name: "audit-wrong", role: supervisor, path: "/audit?min=mil&from=2026-11-20&to=2026-11-01", status: "422"},
		{name: "audit-entry", role: supervisor, path: "/audit/1"},
		{name: "audit-views", role: supervisor, path: "/audit/views"},
		{name: "audit-view-new", role: supervisor, path: "/audit/views/new?outcome=denied"},
		{name: "closings", role: supervisor, path: "/closings"},
		{name: "closings-refused", role: supervisor, path: "/closings?before=ayer", status: "422"},
		{name: "review-alerts", role: supervisor, path: "/review?kind=alert"},
		{name: "review-read", role: administrator, path: "/review"},
		{name: "review-handled", role: supervisor, path: "/review?show=handled"},
		{name: "alert-rules", role: administrator, path: "/settings/alerts"},
		{name: "alert-rule", role: administrator, path: "/settings/alerts/person"},
		{name: "audit-requests", role: supervisor, path: "/audit?action=cancellation.requested"},
		{name: "audit-reads", role: auditor, path: "/audit?reads=in"},
		{name: "audit-sale", role: supervisor, path: "/audit?sale=" + sales["confirmed"]},
		{name: "audit-entry-request", role: supervisor, path: "/audit?sale=" + sales["confirmed"], then: func(p *page) {
			p.press(id("audit-entry") + " a")
			p.see(id("proof"))
		}},
		{name: "audit-entry-none", role: supervisor, path: "/audit/999999999", status: "404"},
		{name: "audit-view-refused", role: supervisor, path: "/audit/views/new?outcome=denied", status: "422", then: func(p *page) {
			p.press(id("view-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "audit-exports-refused", role: supervisor, path: "/audit/exports?min=mil", status: "422"},
		{name: "audit-export-refused", role: supervisor, path: "/audit.csv?from=2026-11-20&to=2026-11-01", status: "422"},
		{name: "audit-print-none", role: supervisor, path: "/audit/print?q=zzzzzz"},
		{name: "audit-verified", role: auditor, path: "/audit/verification", then: func(p *page) {
			if p.count(id("verdict")) == 0 && p.count(id("verify-form")) > 0 {
				p.press(id("verify-form") + " button[type=submit]")
			}
			p.see(id("verdict"))
		}},
		{name: "oversight-approvers", role: supervisor, path: "/oversight?by=approver"},
		{name: "oversight-reasons", role: supervisor, path: "/oversight?by=reason"},
		{name: "oversight-terminals", role: auditor, path: "/oversight?by=terminal"},
		{name: "patterns-reversed", role: supervisor, path: "/oversight/patterns?from=2026-11-20&to=2026-11-01", status: "422"},
		{name: "closing-none", role: supervisor, path: "/closings/2026-11-18", status: "404"},
		{name: "review-auditor", role: auditor, path: "/review"},
		{name: "alert-rule-refused", role: administrator, path: "/settings/alerts/person", status: "422", then: func(p *page) {
			p.fill("#f-count", "muchas")
			p.press(id("alert-form") + " button[type=submit]")
			p.see("[data-error-summary]")
		}},
		{name: "user-new-auditor", role: administrator, path: "/users/new", status: "422", then: func(p *page) {
			p.choose("select[name=role]", "auditor")
			p.press("form[action='/users'] button[type=submit]")
			p.see("[data-error-summary]")
		}},
	}
}
