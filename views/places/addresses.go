package places

import (
	"context"
	"strconv"

	"veinte/models"
	"veinte/models/terminals"
	"veinte/views/locale"
	"veinte/views/seal"
	"veinte/views/ui"
)

// AddressView shows the own address of a terminal.
type AddressView struct {
	ui.Page
	Terminal models.Terminal
	Address  string // whole, as it is typed: a secret
}

// AddressesView is at which addresses the terminals post.
type AddressesView struct {
	ui.Page
	Shared       models.SharedAddress
	HasAddresses bool
	Counts       []terminals.AddressCount
	Errors       ui.Errors
}

// typingSteps say how an address comes into a terminal.
var typingSteps = []string{"address.step1", "address.step2", "address.step3", "address.step4"}

// addressSays says at which address a terminal posts.
func (v *TerminalView) addressSays(ctx context.Context) string {
	return locale.T(ctx, "addressSays."+string(v.Address), "Count", v.Terminal.SharedPosts, "N", ui.Number(v.Terminal.SharedPosts))
}

// usesText says how many terminals post at a kind of address, and how often.
func usesText(ctx context.Context, c *terminals.AddressCount) string {
	text := locale.T(ctx, "terminal.count", "Count", c.Terminals, "N", ui.Number(c.Terminals))
	if c.Posts > 0 {
		text += " · " + locale.T(ctx, "addresses.posts", "Count", c.Posts, "N", ui.Number(c.Posts))
	}
	return text
}

// useProblem is the problem of the map that lists the terminals of a use; "" when
// there is none.
func useProblem(u terminals.AddressUse) terminals.Problem {
	return map[terminals.AddressUse]terminals.Problem{
		terminals.AddressShared: terminals.ProblemSharedAddress, terminals.AddressOlder: terminals.ProblemOlderAddress,
	}[u]
}

// qrCell is a text's QR code as a template takes it.
func qrCell(text string) (size, path string) {
	n, path := qrPath(text)
	return strconv.Itoa(n), path
}

// qrPath returns a text's QR code as an SVG path; see seal.Path.
func qrPath(text string) (size int, path string) { return seal.Path(text) }
