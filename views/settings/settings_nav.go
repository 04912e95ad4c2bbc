package settings

import (
	"veinte/models"
)

// SettingsPage is a place to which /settings leads. Its title and a sentence
// about what is done there are catalogue keys.
type SettingsPage struct {
	Path, Title, Hint string
	May               models.Permission // the one on the page's line in the route table
}

// SettingsPages are in the order in which /settings lists them.
var SettingsPages = []SettingsPage{
	{"/imports", "nav.imports", "import.about", models.ImportSales},
	{"/settings/rules", "rules.title", "rules.about", models.ManageSettings},
	{"/settings/reasons", "reasons.title", "reasons.about", models.ManageSettings},
	{"/settings/keys", "keys.title", "keys.about", models.ManageKeys},
	{"/settings/access", "access.title", "access.about", models.ManageUsers},
	{"/settings/sso", "sso.title", "sso.about", models.ManageUsers},
	{"/settings/connection", "connection.title", "connection.about", models.ManageSettings},
	{"/settings/reconciliation", "profile.title", "profile.about", models.ManageSettings},
	{"/settings/alerts", "alert.rules", "alert.about", models.ManageSettings},
	{"/endpoints", "endpoint.title", "endpoint.about", models.ManageEndpoints},
}
