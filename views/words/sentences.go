package words

import (
	"cmp"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// Every action has its sentence in the catalogues, says.<action>, and others for what
// differs: says.<action>.<which>. Who did it is its subject; who could not sign in has
// typed an address and is nobody's.

// telling is what the sentence of an action needs besides who did it and the sale.
type telling struct {
	name  string // the field that names what it was done to
	count string // the field of how many
	which func(*tale) string
}

// tellings are those of the actions that need more than their subject and their sale.
var tellings = map[models.Action]telling{
	models.ActionCancellationMoved:    {name: "state", which: movedBy},
	models.ActionInquiryAnswered:      {name: "standing"},
	models.ActionReviewed:             {which: ofNoSale},
	models.ActionResultUnmatched:      {which: ofNoTerminal},
	models.ActionResultConflict:       {which: ofNoSale},
	models.ActionSalesRecorded:        {name: "source", count: "sales", which: byHand},
	models.ActionImportUploaded:       {name: "fileName"},
	models.ActionImportAnswered:       {name: "fileName"},
	models.ActionImportConfirmed:      {name: "fileName"},
	models.ActionImportHeldBack:       {name: "fileName"},
	models.ActionSalesImported:        {name: "fileName", count: "created"},
	models.ActionTerminalsImported:    {name: "fileName", count: "created"},
	models.ActionImportDiscarded:      {name: "fileName"},
	models.ActionImportUndone:         {name: "fileName"},
	models.ActionReportUploaded:       {name: "file"},
	models.ActionReconciled:           {name: "file"},
	models.ActionReportDiscarded:      {name: "day"},
	models.ActionDifferenceSeen:       {which: ofNoSale},
	models.ActionProfileCreated:       {name: "profile"},
	models.ActionProfileChanged:       {name: "profile", which: byFlag("retired", ".retired", "")},
	models.ActionViewCreated:          {name: "view"},
	models.ActionViewChanged:          {name: "view"},
	models.ActionViewRemoved:          {name: "view"},
	models.ActionAuditExported:        {name: "format", which: exportStep},
	models.ActionSalesExported:        {name: "format", which: exportStep},
	models.ActionExportStopped:        {name: "requestedBy"},
	models.ActionFileExported:         {name: "file", which: exportStep},
	models.ActionLogin:                {which: signedIn},
	models.ActionLogout:               {which: byTheSystem},
	models.ActionRefused:              {which: denied},
	models.ActionOnboarding:           {which: byFlag("shown", ".shown", "")},
	models.ActionServerStarted:        {name: "version"},
	models.ActionAuditRead:            {which: whatWasRead},
	models.ActionOversightRead:        {name: "page"},
	models.ActionAuditVerified:        {name: "verificationState", which: verifiedBy},
	models.ActionAuditCompared:        {name: "comparisonState"},
	models.ActionAuditProved:          {which: byField("entry", ".entry")},
	models.ActionAuditArchived:        {name: "month"},
	models.ActionMonthMade:            {name: "month"},
	models.ActionTerminalMoved:        {name: "store"},
	models.ActionMovePlanned:          {name: "store"},
	models.ActionMoveWithdrawn:        {name: "store"},
	models.ActionTerminalChanged:      {name: "label"},
	models.ActionAddressesTaken:       {count: "terminals"},
	models.ActionStoreCreated:         {name: "name"},
	models.ActionStoreChanged:         {name: "name"},
	models.ActionStoreRemoved:         {name: "name"},
	models.ActionUserCreated:          {name: "name", which: byField("issuer", ".provider")},
	models.ActionUserChanged:          {name: "name"},
	models.ActionUserDisabled:         {name: "name"},
	models.ActionUserEnabled:          {name: "name"},
	models.ActionUserNameBlocked:      {name: "name", which: byFlag("nameBlocked", "", ".shown")},
	models.ActionUserExported:         {name: "name"},
	models.ActionPasswordReset:        {name: "email"},
	models.ActionLinkMade:             {name: "email"},
	models.ActionPasswordSet:          {name: "email", which: byField("link", ".link")},
	models.ActionFactorReset:          {name: "email"},
	models.ActionPasskeyAdded:         {name: "passkey"},
	models.ActionPasskeyRemoved:       {name: "passkey"},
	models.ActionPasskeyUsed:          {name: "passkey"},
	models.ActionPasskeyCloned:        {name: "email"},
	models.ActionPINSet:               {name: "email", which: byTheSystem},
	models.ActionPINRemoved:           {name: "email"},
	models.ActionSSOLink:              {name: "email"},
	models.ActionSessionsEnded:        {name: "email", count: "sessions"},
	models.ActionDeviceForgotten:      {name: "email"},
	models.ActionNoticeDismissed:      {name: "notice"},
	models.ActionRightsAsked:          {name: "name"},
	models.ActionRightsConfirmed:      {name: "name"},
	models.ActionRightsRefused:        {name: "name"},
	models.ActionRightsWithdrawn:      {name: "name"},
	models.ActionRightsExpired:        {name: "name"},
	models.ActionRightsLapsed:         {name: "name"},
	models.ActionCounterMade:          {name: "name"},
	models.ActionCounterEnded:         {name: "name"},
	models.ActionEndpointCreated:      {name: "endpoint"},
	models.ActionEndpointChanged:      {name: "endpoint"},
	models.ActionEndpointPaused:       {name: "endpoint"},
	models.ActionEndpointResumed:      {name: "endpoint"},
	models.ActionEndpointDisabled:     {name: "endpoint"},
	models.ActionEndpointRetired:      {name: "endpoint"},
	models.ActionSecretRotated:        {name: "endpoint"},
	models.ActionEndpointTested:       {name: "endpoint"},
	models.ActionDeliveryAgain:        {name: "endpoint"},
	models.ActionDeliveryAllAgain:     {name: "endpoint", count: "deliveries"},
	models.ActionDeliverySetAside:     {name: "endpoint"},
	models.ActionKeyCreated:           {name: "name"},
	models.ActionKeyRotated:           {name: "name"},
	models.ActionKeyRevoked:           {name: "name"},
	models.ActionDayClosed:            {name: "day"},
	models.ActionClosingRead:          {name: "day", which: byField("list", ".list")},
	models.ActionClosingExported:      {name: "day"},
	models.ActionAlertRaised:          {name: "rule", which: saidByTheAlert},
	models.ActionAlertAttended:        {name: "rule"},
	models.ActionAlertRule:            {name: "rule"},
	models.ActionMailGivenUp:          {name: "recipient"},
	models.ActionSealingStopped:       {name: "trouble"},
	models.ActionCheckpointsMissing:   {name: "missingIn", count: "checkpoints"},
	models.ActionDatabaseChanged:      {name: "cause"},
	models.ActionFindingReviewed:      {name: "subject"},
	models.ActionCancellationConflict: {name: "conflict"},
}

// tale is an entry on its way into a sentence.
type tale struct {
	*models.AuditEntry
	before, after map[string]any
}

// field is a field of the entry: as it is after the act, else as it was.
func (t *tale) field(name string) any {
	if v, ok := t.after[name]; ok && v != nil {
		return v
	}
	return t.before[name]
}

// Sentence says in one sentence who did what.
func (n *AuditNames) Sentence(ctx context.Context, e *models.AuditEntry) string {
	t := &tale{AuditEntry: e, before: Object(e.Before), after: Object(e.After)}
	of := tellings[e.Action]
	more, _ := t.after["more"].(float64)
	key, count := t.key(of), int64(more)
	if !locale.Has(key) { // of a later version
		return n.subject(ctx, e) + ": " + ActionWord(ctx, e.Action)
	}
	if of.count != "" && more == 0 {
		number, _ := t.field(of.count).(float64)
		count = int64(number)
	}
	unnamed := locale.T(ctx, "saying.unnamed")
	return capital(locale.T(ctx, key,
		"Who", n.subject(ctx, e), "Typed", typed(ctx, e), "Of", cmp.Or(e.OnBehalfOf, unnamed),
		"From", cmp.Or(e.Address, locale.T(ctx, "saying.nowhere")),
		"Amount", saleOr(ctx, e, "saying.amount", "saying.aSale"), "Sale", saleOr(ctx, e, "saying.sale", "saying.aSale"),
		"Terminal", n.terminal(ctx, e.SerialNumber), "Name", n.named(ctx, t, of.name),
		"Was", cmp.Or(n.value(ctx, of.name, t.before[of.name]), unnamed), "Page", requestedPage(ctx, t), "Act", requestedAct(ctx, t),
		"Count", int(count), "N", ui.Number(count)))
}

// capital begins a sentence, whatever its first word is put together from.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// key is the most exact sentence that the catalogues have.
func (t *tale) key(of telling) string {
	base := "says." + string(t.Action)
	var which []string
	if _, counted := t.after["more"]; counted {
		which = append(which, ".more")
	}
	if of.which != nil {
		which = append(which, strings.Split(of.which(t), " ")...)
	}
	if t.Outcome != models.OutcomeSuccess {
		which = append(which, ".not")
	}
	for _, w := range which {
		if w != "" && locale.Has(base+w) {
			return base + w
		}
	}
	return base
}

// subject is who did it, as the subject of a sentence.
func (n *AuditNames) subject(ctx context.Context, e *models.AuditEntry) string {
	name := ""
	switch e.ActorRole {
	case models.SystemRole:
		return locale.T(ctx, "saying.system")
	case models.Anonymous:
		return locale.T(ctx, "saying.somebody")
	case models.TerminalRole:
		return locale.T(ctx, "saying.terminal", "Name", n.terminal(ctx, e.ActorName))
	case models.Integration:
		name = locale.T(ctx, "saying.program", "Name", e.ActorName)
	default:
		name = ActorName(ctx, e)
	}
	if e.OnBehalfOf != "" {
		return locale.T(ctx, "saying.onBehalf", "Name", name, "Of", e.OnBehalfOf)
	}
	return name
}

// typed is the address with which somebody tried to come in.
func typed(ctx context.Context, e *models.AuditEntry) string {
	if e.ActorName == "" || e.ActorName == "?" {
		return locale.T(ctx, "saying.noAddress")
	}
	return e.ActorName
}

func saleOr(ctx context.Context, e *models.AuditEntry, known, none string) string {
	if e.Amount == nil {
		return locale.T(ctx, none)
	}
	return locale.T(ctx, known, "Amount", ui.Money(*e.Amount))
}

// terminal is what people call it, else the number that is printed on it.
func (n *AuditNames) terminal(ctx context.Context, serial string) string {
	if label := n.terminals()[serial]; label != "" {
		return label
	}
	if serial == "" {
		return locale.T(ctx, "saying.unnamed")
	}
	return locale.T(ctx, "terminal.serialShort") + " " + serial
}

func (n *AuditNames) terminals() map[string]string {
	if n == nil {
		return nil
	}
	return n.Terminals
}

// named is what the act was done to, in words.
func (n *AuditNames) named(ctx context.Context, t *tale, field string) string {
	if field == "" {
		return ""
	}
	if t.Action == models.ActionAlertRaised {
		if says := raised(ctx, t.AuditEntry, t.after); says != "" {
			return says
		}
	}
	if name := n.value(ctx, field, t.field(field)); name != "" {
		return name
	}
	return locale.T(ctx, "saying.unnamed")
}

// Place is where it was: the store and, unless the sentence has it, the terminal.
func (n *AuditNames) Place(e *models.AuditEntry) string {
	label := n.terminals()[e.SerialNumber]
	switch {
	case label == "" || e.ActorRole == models.TerminalRole || strings.HasPrefix(string(e.Action), "terminal."):
		return e.StoreName
	case e.StoreName == "":
		return label
	}
	return e.StoreName + ", " + label
}

// InShort is what a line of the list says besides its sentence: the reason that somebody
// gave or met, and what a change changed. All of it is on the entry's page.
func (n *AuditNames) InShort(ctx context.Context, reasons []models.Reason, e *models.AuditEntry) string {
	if e.Reason != "" {
		request := e.Action == models.ActionRefused && strings.Contains(e.Reason, " /")
		if request || e.Action == models.ActionLogin && e.Reason == "login.wrong" {
			return "" // what the sentence says
		}
		var parts []string
		for _, part := range strings.Split(ReasonText(ctx, reasons, e.Reason), " · ") {
			if !strings.HasPrefix(part, locale.T(ctx, "field.hash")+": ") {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, " · ")
	}
	if e.Action == models.ActionLogin {
		return n.cameIn(ctx, Object(e.After))
	}
	if e.Before == nil || e.After == nil || !strings.HasSuffix(string(e.Action), "hanged") {
		return ""
	}
	var names []string
	for _, d := range n.Differences(ctx, e) {
		names = append(names, d.Name)
	}
	if len(names) > maxNamedChanges {
		rest := ui.Itoa(int64(len(names) - maxNamedChanges))
		return locale.T(ctx, "saying.changesMore", "Names", strings.Join(names[:maxNamedChanges], ", "), "N", rest)
	}
	if len(names) > 0 {
		return locale.T(ctx, "saying.changes", "Names", strings.Join(names, ", "))
	}
	return ""
}

// cameIn says how somebody came in, at which counter device, and whether on one that is
// new to them.
func (n *AuditNames) cameIn(ctx context.Context, after map[string]any) string {
	var parts []string
	for _, field := range []string{"way", "counter"} {
		if text := n.value(ctx, field, after[field]); text != "" {
			parts = append(parts, text)
		}
	}
	if fresh, _ := after["newDevice"].(bool); fresh {
		parts = append(parts, FieldWord(ctx, "", "newDevice"))
	}
	return strings.Join(parts, " · ")
}

// maxNamedChanges is how many changed fields a line names.
const maxNamedChanges = 3
