package handlers_test

import (
	"veinte/models"
)

// trailScenarios says of every act who does it and what the trail calls it.
var trailScenarios = map[string]trailScenario{
	"POST /login":    {who: "m", action: models.ActionLogin, do: signIn},
	"POST /logout":   {who: "m", action: models.ActionLogout},
	"POST /language": {who: "m", action: models.ActionLanguageChosen},

	"POST /help/first/dismissal":   {who: "m", action: models.ActionOnboarding},
	"POST /help/first/restoration": {who: "u", action: models.ActionOnboarding, do: restoreFirstSteps},

	"GET /audit":                     {who: "s", action: models.ActionAuditRead},
	"GET /audit/:id":                 {who: "u", action: models.ActionAuditRead},
	"GET /audit.csv":                 {who: "u", action: models.ActionAuditExported, entries: 2},
	"GET /audit.jsonl":               {who: "u", action: models.ActionAuditExported, entries: 2},
	"GET /audit.xlsx":                {who: "s", action: models.ActionAuditExported, entries: 2},
	"GET /audit/print":               {who: "s", action: models.ActionAuditExported},
	"POST /audit/exports/:id/stop":   {who: "s", action: models.ActionExportStopped, do: stopExport},
	"POST /audit/views":              {who: "s", action: models.ActionViewCreated},
	"POST /audit/views/:id":          {who: "s", action: models.ActionViewChanged, do: changeView},
	"POST /audit/views/:id/removal":  {who: "s", action: models.ActionViewRemoved, do: removeView},
	"POST /sales/views":              {who: "m", action: models.ActionViewCreated},
	"POST /sales/views/:id":          {who: "m", action: models.ActionViewChanged, do: changeSaleView},
	"POST /sales/views/:id/removal":  {who: "m", action: models.ActionViewRemoved, do: removeSaleView},
	"POST /audit/verification":       {who: "u", action: models.ActionAuditVerified},
	"GET /audit/checkpoints/latest":  {who: "u", action: models.ActionAuditProved},
	"GET /audit/:id/proof":           {who: "u", action: models.ActionAuditProved},
	"GET /oversight":                 {who: "s", action: models.ActionOversightRead},
	"GET /oversight.csv":             {who: "u", action: models.ActionOversightRead},
	"GET /oversight/days":            {who: "u", action: models.ActionOversightRead},
	"GET /oversight/patterns":        {who: "s", action: models.ActionOversightRead},
	"GET /oversight/patterns.csv":    {who: "u", action: models.ActionOversightRead},
	"GET /oversight/finding":         {who: "s", action: models.ActionOversightRead},
	"GET /closings":                  {who: "s", action: models.ActionClosingRead},
	"GET /closings/:day":             {who: "u", action: models.ActionClosingRead},
	"GET /closings/:day/report.csv":  {who: "u", action: models.ActionClosingExported},
	"GET /closings/:day/report.json": {who: "s", action: models.ActionClosingExported, do: closingBytes},
	"GET /alerts":                    {who: "s", action: models.ActionAlertsRead},
	"POST /alerts/:id/attention":     {who: "s", action: models.ActionAlertAttended},
	"POST /settings/alerts/test":     {who: "a", action: models.ActionMailTested},
	"POST /settings/alerts/:kind":    {who: "a", action: models.ActionAlertRule},

	"GET /sales/:id/slip":                      {who: "m", action: models.ActionNoticeShown},
	"GET /imports/:id/wrong.csv":               {who: "a", action: models.ActionFileExported},
	"GET /reconciliations/:id/differences.csv": {who: "s", action: models.ActionFileExported},

	"POST /sales":                        {who: "m", action: models.ActionSalesRecorded, form: aSale},
	"POST /sales/:id/cancellation":       {who: "m", action: models.ActionCancellationRequested},
	"POST /sales/cancellations":          {who: "s", action: models.ActionCancellationRequested},
	"POST /cancellations/:id/withdrawal": {who: "m", action: models.ActionCancellationMoved},
	"POST /cancellations/:id/inquiry":    {who: "m", action: models.ActionInquirySent},
	"POST /cancellations/:id/resolution": {who: "s", action: models.ActionCancellationMoved},
	"POST /review/conflicts/:id":         {who: "s", action: models.ActionReviewed},
	"POST /review/results/:id":           {who: "s", action: models.ActionReviewed},

	"POST /settings/pause":                {who: "a", action: models.ActionPaused},
	"POST /settings/resumption":           {who: "a", action: models.ActionResumed, do: resume},
	"POST /settings/rules/versions":       {who: "a", action: models.ActionRulesChanged, do: changeRules},
	"POST /settings/rules/:id/withdrawal": {who: "a", action: models.ActionRulesWithdrawn, do: takeRulesBack},
	// nobody listens there
	"POST /settings/connection/test":                {who: "a", action: models.ActionConnectionTested, refused: true},
	"POST /settings/reasons":                        {who: "a", action: models.ActionReasonsChanged},
	"POST /settings/reasons/:code":                  {who: "a", action: models.ActionReasonsChanged},
	"POST /settings/reasons/:code/position":         {who: "a", action: models.ActionReasonsChanged},
	"POST /settings/reasons/:code/retirement":       {who: "a", action: models.ActionReasonsChanged},
	"POST /settings/reasons/:code/restoration":      {who: "a", action: models.ActionReasonsChanged, do: restoreReason},
	"POST /settings/keys":                           {who: "a", action: models.ActionKeyCreated},
	"POST /settings/keys/:id/rotation":              {who: "a", action: models.ActionKeyRotated},
	"POST /settings/keys/:id/revocation":            {who: "a", action: models.ActionKeyRevoked},
	"POST /settings/reconciliation":                 {who: "a", action: models.ActionProfileCreated, do: createProfile},
	"POST /settings/reconciliation/:id":             {who: "a", action: models.ActionProfileChanged, do: changeProfile},
	"POST /settings/reconciliation/:id/retirement":  {who: "a", action: models.ActionProfileChanged, do: onProfile("retirement", 2)},
	"POST /settings/reconciliation/:id/restoration": {who: "a", action: models.ActionProfileChanged},

	"POST /imports":                  {who: "a", action: models.ActionImportUploaded, do: giveFile},
	"POST /imports/:id/confirmation": {who: "a", action: models.ActionImportConfirmed},
	"POST /imports/:id/discarding":   {who: "a", action: models.ActionImportDiscarded},
	"POST /imports/:id/undoing":      {who: "a", action: models.ActionImportUndone},
	"POST /reconciliations":          {who: "a", action: models.ActionReportUploaded, do: giveReport},
	// success: TestReconciliationByPages
	"POST /reconciliations/:id/settlement": {who: "s", action: models.ActionActRefused, refused: true},
	"POST /differences/:id/review":         {who: "s", action: models.ActionDifferenceSeen},
	"POST /terminals":                      {who: "a", action: models.ActionTerminalCreated},
	"POST /terminals/moves":                {who: "a", action: models.ActionTerminalMoved},
	"POST /terminals/:id":                  {who: "a", action: models.ActionTerminalChanged},
	"POST /terminals/:id/moves":            {who: "a", action: models.ActionTerminalMoved},
	"POST /terminals/:id/plan/withdrawal":  {who: "a", action: models.ActionMoveWithdrawn},
	"POST /terminals/:id/retirement":       {who: "a", action: models.ActionTerminalRetired},
	"POST /terminals/:id/restoration":      {who: "a", action: models.ActionTerminalRestored},
	"POST /stores":                         {who: "a", action: models.ActionStoreCreated},
	"POST /stores/:id":                     {who: "a", action: models.ActionStoreChanged},
	"POST /users":                          {who: "a", action: models.ActionUserCreated},
	"POST /users/:id":                      {who: "a", action: models.ActionUserChanged},
	"POST /users/:id/disabling":            {who: "a", action: models.ActionUserDisabled},
	"POST /users/:id/enabling":             {who: "a", action: models.ActionUserEnabled},
	"POST /users/:id/password":             {who: "a", action: models.ActionPasswordReset},
	"POST /endpoints":                      {who: "a", action: models.ActionEndpointCreated},
	"POST /endpoints/:id":                  {who: "a", action: models.ActionEndpointChanged},
	"POST /endpoints/:id/pause":            {who: "a", action: models.ActionEndpointPaused},
	"POST /endpoints/:id/resumption":       {who: "a", action: models.ActionEndpointResumed, do: resumeEndpoint},
	"POST /endpoints/:id/secret":           {who: "a", action: models.ActionSecretRotated},
	"POST /endpoints/:id/test":             {who: "a", action: models.ActionEndpointTested},
	"POST /endpoints/:id/redelivery":       {who: "a", action: models.ActionDeliveryAllAgain},
	"POST /endpoints/:id/retirement":       {who: "a", action: models.ActionEndpointRetired},
	"POST /deliveries/:id/redelivery":      {who: "a", action: models.ActionDeliveryAgain},
	"POST /deliveries/:id/setting-aside":   {who: "a", action: models.ActionDeliverySetAside},
	"POST /oversight/marks":                {who: "s", action: models.ActionActRefused, refused: true}, // success: the tests of marks
}

// changesNothing are posts after which all is as it was, because their forms are
// too large for an address or hold a file, and pages beside the trail that show
// nothing of it.
var changesNothing = map[string]string{
	"POST /settings/rules":                  "shows what a change would do, before it is made",
	"POST /settings/rules/draft":            "takes a change back into its form",
	"POST /settings/reconciliation/preview": "reads a sample of a report, and stores nothing of it",
	"POST /results/:secret": "terminals post here: what a post means is in TestResultsAreInTheTrail, " +
		"and a wrong secret in TestStrangersDoNotFillTheTrail",
	"GET /audit/exports":        "one's own exports, each of which is two entries",
	"GET /audit/verification":   "what verifications came to, each of which is two entries",
	"GET /audit/views":          "names of saved filters",
	"GET /audit/views/new":      "a form",
	"GET /audit/views/:id":      "leads to the list, and reading that is an entry",
	"GET /audit/views/:id/edit": "a form",
}
