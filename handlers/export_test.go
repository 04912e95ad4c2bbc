package handlers

import "veinte/models"

// Line is a line of the route table as tests see it.
type Line struct {
	Method, Path string
	Can          models.Permission
}

// Lines returns the route table, so that no route can be forgotten by a test.
func Lines() []Line {
	var lines []Line
	for _, r := range (&Handlers{}).routes() {
		lines = append(lines, Line{r.method, r.path, r.can})
	}
	return lines
}

// LocalPath is where a sign-in may go on to.
var LocalPath = localPath
