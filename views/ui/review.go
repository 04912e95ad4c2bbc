package ui

import (
	"veinte/models"
)

// Waiting writes how many things wait; they are not counted to the end.
func Waiting(n int) string {
	if n >= models.ReviewMost {
		return "99+"
	}
	return Number(int64(n))
}
