package ui

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

func RoleWord(ctx context.Context, r models.Role) string {
	return locale.T(ctx, "role."+string(r))
}

// Maybe translates a code that may be of a kind this page does not know yet:
// codes are added by other parts, and a page must not break over one.
func Maybe(ctx context.Context, prefix, code string) string {
	if code == "" {
		return ""
	}
	if locale.Has(prefix + code) {
		return locale.T(ctx, prefix+code)
	}
	return code
}

// ZoneName names a zone as people do: hora CDMX, Cancún.
func ZoneName(ctx context.Context, zone string) string {
	if locale.Has("zone." + zone) {
		return locale.T(ctx, "zone."+zone)
	}
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}

// SameClock reports whether two zones show the same time at an instant.
func SameClock(a, b *time.Location, at time.Time) bool {
	_, x := at.In(a).Zone()
	_, y := at.In(b).Zone()
	return x == y
}

// TerminalName is how people tell terminals apart: the label, else the serial number.
func TerminalName(label string, serial models.SerialNumber) string {
	if label == "" {
		return string(serial)
	}
	return label
}

// InStore names a terminal where those of several stores stand together: the code of
// its store is before it. Without a code there is one store.
func InStore(code, terminal string) string {
	if code == "" {
		return terminal
	}
	return code + " · " + terminal
}
