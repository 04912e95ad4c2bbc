package lifemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reached is what occurs in the sound model. A property about something that never
// occurs would hold trivially.
type reached struct{ moves, situations map[string]bool }

func newReached() reached { return reached{map[string]bool{}, map[string]bool{}} }

func (r reached) add(f finding) {
	for _, m := range f.moves {
		r.moves[m] = true
	}
	for _, s := range f.situations {
		r.situations[s] = true
	}
}

// missing lists the moves and the situations of the model that never occur.
func (r reached) missing() []string {
	var missing []string
	for _, m := range tableMoves() {
		if !r.moves[m] {
			missing = append(missing, "the move "+m)
		}
	}
	for _, m := range situation.FindAllStringSubmatch(string(life), -1) {
		what := m[1]
		if !r.situations[what] {
			missing = append(missing, what)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

var (
	mtypes    = regexp.MustCompile(`(?m)^mtype = \{ (none, [^}]*) \};`)
	tableRow  = regexp.MustCompile(`\(from == (\w+) && \(([^)]*)\)\)`)
	rowEnd    = regexp.MustCompile(`to == (\w+)`)
	situation = regexp.MustCompile(`(?:SAW\([^"]*|DIES\()"([^"]*)"`)
)

// tableMoves reads the moves that must occur from the model's own table, with the
// two ways in which a cancellation begins.
func tableMoves() []string {
	moves := []string{"none requested", "none confirmed"}
	for _, row := range tableRow.FindAllStringSubmatch(string(life), -1) {
		for _, to := range rowEnd.FindAllStringSubmatch(row[2], -1) {
			moves = append(moves, row[1]+" "+to[1])
		}
	}
	return moves
}

// named converts a pair of spin's numbers to names. spin numbers the names of an
// mtype from the last to the first.
func named(numbers string) string {
	m := mtypes.FindSubmatch(life)
	names := strings.Split(string(m[1]), ", ")
	var pair []string
	for _, text := range strings.Fields(numbers) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(names) {
			return fmt.Sprintf("what? %q", numbers)
		}
		pair = append(pair, names[len(names)-n])
	}
	return strings.Join(pair, " ")
}
