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

// The roles of people, and of the actors that are none.
const (
	Manager       Role = "manager"
	Supervisor    Role = "supervisor"
	Administrator Role = "administrator"
	Auditor       Role = "auditor"     // reads, for a time, and changes nothing
	SystemRole    Role = "system"      // jobs
	TerminalRole  Role = "terminal"    // posts to the results door
	Integration   Role = "integration" // a program: it may what the scopes of its key grant
	Anonymous     Role = "anonymous"   // somebody who is not signed in
)

// Roles lists the roles a person can have.
var Roles = []Role{Manager, Supervisor, Administrator, Auditor}

// Permission is one thing that a role may do.
type Permission string

// The permissions. Each is asked for on a line of the route table.
const (
	ViewSales            Permission = "viewSales"         // see sales and their stories in one's stores
	CancelSales          Permission = "cancelSales"       // ask for a cancellation, take it back
	CancelInBulk         Permission = "cancelSeveral"     // ask for several cancellations at once
	VerifyCancellations  Permission = "verifyCases"       // ask a terminal for the state of a sale
	ResolveCancellations Permission = "settleCases"       // say, with evidence, how a doubt ended
	ReadAudit            Permission = "readAudit"         // read the trail
	ViewResults          Permission = "viewResults"       // see what terminals posted and what is unmatched
	ManageTerminals      Permission = "manageTerminals"   // register, move, retire
	ManageStores         Permission = "manageStores"      // create and rename
	ManageUsers          Permission = "manageUsers"       // create, role, scope, disable
	ManageSettings       Permission = "manageSettings"    // pause cancellations, change the rules
	ManageEndpoints      Permission = "manageEndpoints"   // where results and events are forwarded to
	ReviewCancellations  Permission = "reviewCases"       // what contradicts, and what nobody has settled
	ManageKeys           Permission = "manageKeys"        // make, rotate and revoke keys of the API
	ViewCancellations    Permission = "viewCancellations" // ask what became of a case (API keys)
	OverrideNegatives    Permission = "overrideNegatives" // ask again after "not canceled"
	ReconcileSales       Permission = "reconcileSales"    // compare a provider's report with our sales
	RecordSales          Permission = "recordSales"       // tell of sales as a program (API keys)
	ImportSales          Permission = "importSales"       // tell of sales by a file, take a file back
	AddManualSales       Permission = "enterSales"        // tell of one sale by hand, ticket in the hand
	ShareViews           Permission = "shareViews"        // share a saved view of a list with everybody who reads it
	Oversee              Permission = "oversee"           // see what is out of the ordinary, alerts, the day's closing reports
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
