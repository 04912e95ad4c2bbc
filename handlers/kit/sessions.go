package kit

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/models/entrance"
	"veinte/views/ui"
)

// SessionLines are open sessions as a page lists them.
func SessionLines(open []entrance.OpenSession, current int64) []ui.SessionLine {
	lines := make([]ui.SessionLine, len(open))
	for i, s := range open {
		lines[i] = ui.SessionLine{
			ID: s.ID, Agent: ui.Agent(s.UserAgent), Address: s.Address, Since: s.CreatedAt, SeenAt: s.SeenAt,
			Own: s.Own, Current: s.ID == current,
		}
	}
	return lines
}

// DeviceLines are known devices as a page lists them.
func DeviceLines(known []entrance.KnownDevice, current int64) []ui.DeviceLine {
	lines := make([]ui.DeviceLine, len(known))
	for i, d := range known {
		lines[i] = ui.DeviceLine{
			ID: d.ID, Agent: ui.Agent(d.UserAgent), Address: d.Address, Since: d.CreatedAt, UsedAt: d.UsedAt,
			Own: d.Own, Open: d.Open, Current: d.ID == current,
		}
	}
	return lines
}

// DeviceID is the device that a form forgets.
func DeviceID(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.FormValue("device"), 10, 64)
	if err != nil || id <= 0 {
		return 0, ErrBadInput
	}
	return id, nil
}

// SessionID is the session that a form ends; 0: all.
func SessionID(c *fiber.Ctx) (int64, error) {
	chosen := c.FormValue("session")
	if chosen == "all" {
		return 0, nil
	}
	id, err := strconv.ParseInt(chosen, 10, 64)
	if err != nil || id <= 0 {
		return 0, ErrBadInput
	}
	return id, nil
}
