package models

import (
	"encoding/json"
	"fmt"
)

func EncodeActor(a Actor) ([]byte, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode actor: %w", err)
	}
	return b, nil
}

// Role is what a person is in the back office.
type Role string

// The roles of people, and of actors that are not people.
const (
	Manager       Role = "manager"
	Supervisor    Role = "supervisor"
	Administrator Role = "administrator"
	Auditor       Role = "auditor"     // reads until an agreed day, and changes nothing
	SystemRole    Role = "system"      // jobs
	TerminalRole  Role = "terminal"    // posts to the results endpoint
	Integration   Role = "integration" // a program: limited to the scopes of its key
	Anonymous     Role = "anonymous"   // not signed in
)

// Roles lists the roles a person can have.
var Roles = []Role{Manager, Supervisor, Administrator, Auditor}

// Permission is one thing that a role may do.
type Permission string

// The permissions. The route table names one for each route.
const (
	ViewSales            Permission = "viewSales"         // see sales and their details in one's stores
	CancelSales          Permission = "cancelSales"       // request a cancellation, withdraw it
	CancelInBulk         Permission = "cancelSeveral"     // request cancellations in bulk
	VerifyCancellations  Permission = "verifyCases"       // ask a terminal for the state of a sale
	ResolveCancellations Permission = "settleCases"       // resolve a doubt, with evidence
	ReadAudit            Permission = "readAudit"         // read the trail
	ViewResults          Permission = "viewResults"       // see what terminals posted and what is unmatched
	ManageTerminals      Permission = "manageTerminals"   // register, move, retire
	ManageStores         Permission = "manageStores"      // create and rename
	ManageUsers          Permission = "manageUsers"       // create, role, scope, disable
	ManageSettings       Permission = "manageSettings"    // pause cancellations, change the rules
	ManageEndpoints      Permission = "manageEndpoints"   // where results and events are forwarded to
	ReviewCancellations  Permission = "reviewCases"       // review conflicts and unresolved doubts
	ManageKeys           Permission = "manageKeys"        // make, rotate and revoke keys of the API
	ViewCancellations    Permission = "viewCancellations" // read the state of a cancellation (API keys)
	OverrideNegatives    Permission = "overrideNegatives" // request again after "not canceled"
	ReconcileSales       Permission = "reconcileSales"    // compare a provider's report with our sales
	RecordSales          Permission = "recordSales"       // report sales as a program (API keys)
	ImportSales          Permission = "importSales"       // import sales from a file, undo an import
	AddManualSales       Permission = "enterSales"        // add one sale manually, from its ticket
	ShareViews           Permission = "shareViews"        // share a saved view of a list with everybody who can read the list
	Oversee              Permission = "oversee"           // see outliers, alerts and the day's closing reports
)

var permissions = map[Role][]Permission{
	Manager:       {ViewSales, CancelSales, VerifyCancellations, AddManualSales},
	Supervisor:    {ViewSales, CancelSales, CancelInBulk, VerifyCancellations, ResolveCancellations, ReviewCancellations, ReadAudit, ViewResults, OverrideNegatives, AddManualSales, ReconcileSales, Oversee, ShareViews},
	Administrator: {ViewSales, ReadAudit, ViewResults, ManageTerminals, ManageStores, ManageUsers, ManageSettings, ManageEndpoints, ManageKeys, ImportSales, ReconcileSales, Oversee, ShareViews},
	Auditor:       {ViewSales, ReadAudit, ViewResults, Oversee},
}

// May reports whether the role has the permission.
func (r Role) May(p Permission) bool {
	for _, has := range permissions[r] {
		if has == p {
			return true
		}
	}
	return false
}
