package views

import "veinte/models"

// RulesView is what an administrator may change while the server runs.
type RulesView struct {
	Page
	Rules models.Rules
}
