package e2e

// picturePages are those with pictures, in each state; a tab has its time, and
// together with everyPage they take longer.
func picturePages() []place {
	return []place{
		{name: "day", role: manager, path: "/sales/day"},
		{name: "day-all-stores", role: supervisor, path: "/sales/day?by=sales"},
		{name: "day-empty", role: manager, path: "/sales/day?date=2026-11-18"},
		{name: "day-wrong", role: manager, path: "/sales/day?date=ayer", status: "422"},
		{name: "period-week", role: supervisor, path: "/oversight/days"},
		{name: "period-month", role: administrator, path: "/oversight/days?unit=month&by=sales"},
		{name: "period-empty", role: supervisor, path: "/oversight/days?from=2020-01-01"},
		{name: "period-refused", role: supervisor, path: "/oversight/days?unit=year&from=ayer", status: "422"},
	}
}
