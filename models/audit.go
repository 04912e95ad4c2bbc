package models

import (
	"time"
)

// AuditEntry is one entry of the trail: who did or tried something, and whether it
// was refused.
type AuditEntry struct {
	ID             int64
	At             time.Time
	ActorID        *int64
	ActorName      string
	ActorRole      Role
	OnBehalfOf     string
	Action         Action
	Outcome        Outcome
	StoreID        *int64
	StoreName      string
	SerialNumber   string
	SaleID         *int64
	OrderID        string
	CancellationID *int64
	AttemptNumber  *int
	Amount         *Money
	Before         []byte `gorm:"type:jsonb"` // JSON object; nil when the act created something
	After          []byte `gorm:"type:jsonb"`
	Reason         string
	Address        string
	UserAgent      string
	RequestID      string
	Canonical      []byte // the exact bytes that a proof of the entry covers
	TxID           string `gorm:"column:txid;default:(-);->"` // of the transaction, assigned by the database
	Era            int    `gorm:"default:(-);->"`             // numbers the counts of TxID: one more after a dump was restored
}

// Action names an act, as noun.verb.
type Action string

// The actions of the trail.
const (
	ActionLogin                 Action = "session.started"
	ActionStepAsked             Action = "session.stepAsked" // the password was right, and the second step is asked for
	ActionLogout                Action = "session.ended"
	ActionRefused               Action = "access.denied"
	ActionActRefused            Action = "act.refused"    // by a rule, where no narrower action exists
	ActionServerStarted         Action = "server.started" // and the writing of the trail with it
	ActionServerStopped         Action = "server.stopped"
	ActionClockJumped           Action = "clock.jumped" // by more than a minute: it was put right, or wrong
	ActionSchemaMigrated        Action = "schema.migrated"
	ActionLanguageChosen        Action = "user.languageChosen"
	ActionCheckpointMail        Action = "user.checkpointMail" // has the checkpoint of each day mailed, or not any more
	ActionOnboarding            Action = "user.firstSteps"     // dismissed, or shown again
	ActionCancellationRequested Action = "cancellation.requested"
	ActionCancellationMoved     Action = "cancellation.moved" // before and after contain the two states
	ActionCancellationConflict  Action = "cancellation.conflict"
	ActionInquirySent           Action = "inquiry.sent"
	ActionInquiryAnswered       Action = "inquiry.answered"
	ActionResultUnmatched       Action = "result.unmatched"
	ActionResultConflict        Action = "result.conflict"
	ActionAuditRead             Action = "audit.read"
	ActionViewCreated           Action = "auditView.created" // a filter saved under a name
	ActionViewChanged           Action = "auditView.changed"
	ActionViewRemoved           Action = "auditView.removed"
	ActionOversightRead         Action = "oversight.read"
	ActionFindingReviewed       Action = "oversight.reviewed" // a person reviewed an outlier
	ActionAuditExported         Action = "audit.exported"     // recorded before the first byte, and again at the end
	ActionSalesExported         Action = "sales.exported"     // the same for files of sales
	ActionExportStopped         Action = "audit.exportStopped"
	ActionAuditVerified         Action = "audit.verified"  // recorded when it is requested, and again at its end
	ActionAuditCompared         Action = "audit.compared"  // the tables were compared with the trail
	ActionAuditProved           Action = "audit.proved"    // a proof of an entry was downloaded
	ActionAuditArchived         Action = "audit.archived"  // a month was archived
	ActionMonthMade             Action = "audit.monthMade" // the partition for a coming month's entries
	ActionFileExported          Action = "file.exported"   // rows of a reconciliation or an import
	ActionNoticeShown           Action = "slip.shown"      // what a customer can be given about a sale, on a page to print or send
	ActionStoreCreated          Action = "store.created"
	ActionStoreChanged          Action = "store.changed"
	ActionStoreRemoved          Action = "store.removed" // with the import that had created it
	ActionTerminalCreated       Action = "terminal.created"
	ActionTerminalChanged       Action = "terminal.changed"
	ActionTerminalMoved         Action = "terminal.moved"
	ActionMovePlanned           Action = "terminal.movePlanned"
	ActionMoveWithdrawn         Action = "terminal.moveWithdrawn"
	ActionTerminalRetired       Action = "terminal.retired"
	ActionTerminalRestored      Action = "terminal.restored"
	ActionTerminalRemoved       Action = "terminal.removed" // with the import that had registered it
	ActionAddressShown          Action = "terminal.addressShown"
	ActionAddressesTaken        Action = "terminal.addressesExported" // of all terminals, as a file
	ActionUserCreated           Action = "user.created"
	ActionUserChanged           Action = "user.changed"
	ActionUserDisabled          Action = "user.disabled"
	ActionUserEnabled           Action = "user.enabled"
	ActionUserNameBlocked       Action = "user.nameBlocked"   // on pages, or shown again
	ActionPasswordReset         Action = "user.passwordReset" // by the command line
	ActionLinkMade              Action = "user.linkMade"      // by which a person sets their own password
	ActionPasswordSet           Action = "user.passwordSet"   // by such a link, or by themselves
	ActionFactorSet             Action = "user.factorSet"     // a person set up their second step
	ActionFactorReset           Action = "user.factorReset"   // by an administrator or the command line
	ActionFactorBegun           Action = "user.factorBegun"   // they see the key of an app that they set up in their account
	ActionFactorRemoved         Action = "user.factorRemoved" // a person removed their app
	ActionPasskeyAdded          Action = "user.passkeyAdded"
	ActionPasskeyRemoved        Action = "user.passkeyRemoved"
	ActionPasskeyUsed           Action = "user.passkeyUsed"     // to sign in, or to change the own factors
	ActionPasskeyCloned         Action = "user.passkeyCloned"   // refused from then on: two devices seem to have it
	ActionRecoveryMade          Action = "user.recoveryMade"    // new recovery codes; the old ones ended
	ActionProved                Action = "user.proved"          // a person proved again who they are, as what follows asks for
	ActionProofRefused          Action = "user.proofRefused"    // a wrong password or code where that is asked for
	ActionFactorRules           Action = "user.factorRules"     // when each role is asked for it
	ActionSessionsEnded         Action = "user.sessionsEnded"   // by their person from elsewhere, or by an administrator
	ActionDeviceForgotten       Action = "user.deviceForgotten" // a known browser, by its person or by an administrator
	ActionNoticeDismissed       Action = "user.noticeDismissed" // a person has seen what they were told of their account
	ActionRecoveryUsed          Action = "user.recoveryUsed"    // a recovery code instead of the app
	ActionPINSet                Action = "user.pinSet"          // their PIN for counter devices
	ActionPINRemoved            Action = "user.pinRemoved"
	ActionCounterMade           Action = "counter.made" // a device became one that a store's people share
	ActionCounterEnded          Action = "counter.ended"
	ActionUserLinked            Action = "user.linked"        // the provider of the single sign-on took an account over
	ActionSSOLink               Action = "user.linkAllowed"   // an administrator lets it, once
	ActionSSOGroups             Action = "sso.groupsChanged"  // what groups of the provider give
	ActionSSOPassword           Action = "sso.passwordRule"   // whether people come in by the provider alone
	ActionSSOAddresses          Action = "sso.addressRule"    // which of the provider's addresses are believed
	ActionBreakGlass            Action = "session.breakGlass" // the one account came in that need not come by the provider
	ActionUserExported          Action = "user.exported"      // all that is stored of a person left in a file
	ActionRightsAsked           Action = "rights.asked"       // that move money: another administrator confirms them
	ActionRightsConfirmed       Action = "rights.confirmed"   // and given
	ActionRightsRefused         Action = "rights.refused"     // by another administrator
	ActionRightsWithdrawn       Action = "rights.withdrawn"   // by whoever asked
	ActionRightsExpired         Action = "rights.expired"     // nobody decided in time
	ActionRightsLapsed          Action = "rights.lapsed"      // what they were asked for changed otherwise
	ActionCancelRefused         Action = "cancellation.refused"
	ActionResolutionRefused     Action = "resolution.refused"
	ActionReviewed              Action = "review.done"
	ActionPaused                Action = "service.paused"
	ActionResumed               Action = "service.resumed"
	ActionRulesChanged          Action = "rules.changed"
	ActionRulesWithdrawn        Action = "rules.takenBack" // a planned change, withdrawn before it took effect
	ActionReasonsChanged        Action = "reasons.changed"
	ActionConnectionTested      Action = "connection.tested"
	ActionProfileCreated        Action = "profile.created" // of a provider's report
	ActionProfileChanged        Action = "profile.changed"
	ActionReportUploaded        Action = "report.uploaded"
	ActionReconciled            Action = "reconciliation.applied"
	ActionReportDiscarded       Action = "report.discarded"
	ActionDifferenceSeen        Action = "difference.reviewed"
	ActionSalesRecorded         Action = "sales.recorded"    // reported by a program, a file or a person
	ActionSaleCorrected         Action = "sale.corrected"    // by its terminal's own post, or by the door that reported it
	ActionSaleUndone            Action = "sale.undone"       // taken back by the door that reported it
	ActionSaleCompleted         Action = "sale.completed"    // another door said what it lacked, or something else
	ActionImportUploaded        Action = "import.given"      // a file was uploaded; none of it counts yet
	ActionImportAnswered        Action = "import.statusSaid" // what the values of its status column mean
	ActionImportConfirmed       Action = "import.confirmed"
	ActionImportHeldBack        Action = "import.heldBack" // confirmed, and then a row turned out to be wrong
	ActionSalesImported         Action = "sales.imported"
	ActionTerminalsImported     Action = "terminals.imported"
	ActionImportDiscarded       Action = "import.discarded"
	ActionImportUndone          Action = "import.undone"

	ActionEndpointCreated  Action = "endpoint.created"
	ActionEndpointChanged  Action = "endpoint.changed"
	ActionEndpointPaused   Action = "endpoint.paused"
	ActionEndpointResumed  Action = "endpoint.resumed"
	ActionEndpointDisabled Action = "endpoint.disabled" // by the system
	ActionEndpointRetired  Action = "endpoint.retired"
	ActionSecretRotated    Action = "endpoint.secretRotated"
	ActionEndpointTested   Action = "endpoint.tested"
	ActionDeliveryAgain    Action = "delivery.redelivered"
	ActionDeliveryAllAgain Action = "delivery.allRedelivered"
	ActionDeliverySetAside Action = "delivery.setAside"
	ActionKeyCreated       Action = "key.created"
	ActionKeyRotated       Action = "key.rotated"
	ActionKeyRevoked       Action = "key.revoked"
	ActionAPIRefused       Action = "api.refused"

	ActionDayClosed       Action = "day.closed" // the closing report was made; after has its hash
	ActionClosingRead     Action = "closing.read"
	ActionClosingExported Action = "closing.exported"
	ActionAlertRaised     Action = "alert.raised"
	ActionAlertsRead      Action = "alert.read"
	ActionAlertAttended   Action = "alert.attended"
	ActionAlertRule       Action = "alert.ruleChanged"
	ActionMailTested      Action = "mail.tested"
	ActionMailGivenUp     Action = "mail.givenUp"
	ActionSealingKeys     Action = "sealing.keyChanged" // the key that signs the checkpoints; recorded the first time too
	ActionSealingStopped  Action = "sealing.stopped"    // a checkpoint contradicts the trail
	ActionSealingResumed  Action = "sealing.resumed"
	// The directory of checkpoints outside the database is used from now on; and it, or the
	// database, lacks checkpoints that the other has.
	ActionCheckpointsBegun   Action = "checkpoints.begun"
	ActionCheckpointsMissing Action = "checkpoints.missing"
	// Who is asked to sign checkpoints beside our own keys; that somebody wants it done now; and
	// that a witness refuses.
	ActionAttestersChanged   Action = "attesters.changed"
	ActionAttestationAsked   Action = "attestation.asked"
	ActionAttestationRefused Action = "attestation.refused"
	ActionDatabaseChanged    Action = "database.changed" // it is a copy, was promoted, or is an older state of itself
)

// Actions lists every action in the order a filter shows them.
var Actions = []Action{
	ActionCancellationRequested, ActionCancellationMoved, ActionCancelRefused, ActionCancellationConflict,
	ActionInquirySent, ActionInquiryAnswered, ActionNoticeShown,
	ActionResolutionRefused, ActionResultUnmatched, ActionResultConflict, ActionReviewed,
	ActionPaused, ActionResumed, ActionRulesChanged, ActionRulesWithdrawn, ActionReasonsChanged, ActionConnectionTested,
	ActionSalesRecorded, ActionSaleCorrected, ActionSaleUndone, ActionSaleCompleted, ActionImportUploaded, ActionImportAnswered,
	ActionImportConfirmed, ActionImportHeldBack,
	ActionSalesImported, ActionTerminalsImported, ActionImportDiscarded, ActionImportUndone,
	ActionReportUploaded, ActionReconciled, ActionReportDiscarded, ActionDifferenceSeen, ActionProfileCreated, ActionProfileChanged,
	ActionViewCreated, ActionViewChanged, ActionViewRemoved, ActionAuditExported, ActionSalesExported, ActionExportStopped,
	ActionFileExported,
	ActionLogin, ActionStepAsked, ActionLogout, ActionRefused, ActionActRefused, ActionLanguageChosen, ActionCheckpointMail,
	ActionOnboarding, ActionServerStarted, ActionServerStopped, ActionClockJumped, ActionSchemaMigrated,
	ActionAuditRead, ActionOversightRead, ActionFindingReviewed,
	ActionAuditVerified, ActionAuditCompared, ActionAuditProved, ActionAuditArchived, ActionMonthMade,
	ActionTerminalCreated, ActionTerminalChanged, ActionTerminalMoved, ActionMovePlanned, ActionMoveWithdrawn,
	ActionTerminalRetired, ActionTerminalRestored, ActionTerminalRemoved, ActionAddressShown, ActionAddressesTaken,
	ActionStoreCreated, ActionStoreChanged, ActionStoreRemoved,
	ActionUserCreated, ActionUserChanged, ActionUserDisabled, ActionUserEnabled, ActionUserNameBlocked, ActionPasswordReset,
	ActionLinkMade, ActionPasswordSet, ActionFactorBegun, ActionFactorSet, ActionFactorRemoved, ActionFactorReset, ActionFactorRules,
	ActionPasskeyAdded, ActionPasskeyUsed, ActionPasskeyRemoved, ActionPasskeyCloned, ActionRecoveryMade, ActionRecoveryUsed,
	ActionProved, ActionProofRefused, ActionUserLinked, ActionSSOLink, ActionSSOGroups, ActionSSOPassword, ActionSSOAddresses,
	ActionBreakGlass, ActionUserExported,
	ActionRightsAsked, ActionRightsConfirmed, ActionRightsRefused, ActionRightsWithdrawn, ActionRightsExpired, ActionRightsLapsed,
	ActionSessionsEnded, ActionDeviceForgotten, ActionNoticeDismissed,
	ActionPINSet, ActionPINRemoved, ActionCounterMade, ActionCounterEnded,
	ActionEndpointCreated, ActionEndpointChanged, ActionEndpointPaused, ActionEndpointResumed, ActionEndpointDisabled,
	ActionEndpointRetired, ActionSecretRotated, ActionEndpointTested,
	ActionDeliveryAgain, ActionDeliveryAllAgain, ActionDeliverySetAside,
	ActionKeyCreated, ActionKeyRotated, ActionKeyRevoked, ActionAPIRefused,
	ActionDayClosed, ActionClosingRead, ActionClosingExported,
	ActionAlertRaised, ActionAlertsRead, ActionAlertAttended, ActionAlertRule, ActionMailTested, ActionMailGivenUp,
	ActionSealingKeys, ActionSealingStopped, ActionSealingResumed, ActionCheckpointsBegun, ActionCheckpointsMissing, ActionDatabaseChanged,
	ActionAttestersChanged, ActionAttestationAsked, ActionAttestationRefused,
}

// Outcome is how an act ended.
type Outcome string

// The outcomes of an act.
const (
	OutcomeSuccess Outcome = "success"
	OutcomeFailure Outcome = "failure"
	OutcomeDenied  Outcome = "denied"
	OutcomeUnknown Outcome = "unknown"
)

// Outcomes lists the outcomes for a filter.
var Outcomes = []Outcome{OutcomeSuccess, OutcomeFailure, OutcomeDenied, OutcomeUnknown}
