package webhooks

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Endpoint is an address that deliveries are sent to. Its address and its secrets
// are encrypted; users see the address without the parts that may be secret.
type Endpoint struct {
	ID              int64
	Kind            EndpointKind
	Name            string
	ShownURL        string
	SealedURL       []byte     `gorm:"column:sealed_url"`
	SealedSecret    []byte     `gorm:"column:sealed_secret"`
	SealedOldSecret []byte     `gorm:"column:sealed_old_secret"` // signs too until OldSecretUntil; nil: there is none
	OldSecretUntil  *time.Time // nil: there is none
	Events          EventTypes `gorm:"type:text[]"` // of webhooks
	AllStores       bool       // of webhooks; false: those of StoreIDs
	StoreIDs        IDs        `gorm:"type:bigint[]"` // of webhooks
	RelayBody       RelayBody  // of relays
	ChangedBy       *int64     // who made or last changed it; nil: unknown
	State           EndpointState
	StateReason     string // why it was disabled, as a code
	StateAt         time.Time
	FailingSince    *time.Time // first failure since the last success; nil: the last try succeeded
	DeliveredAt     *time.Time // last success, to the minute; nil: none yet
	Version         int
	CreatedAt       time.Time
}

// EndpointKind is what kind of deliveries an endpoint receives.
type EndpointKind string

// The kinds of endpoints.
const (
	RelayEndpoint   EndpointKind = "relay"   // results of terminals
	WebhookEndpoint EndpointKind = "webhook" // events of cancellations
)

// EndpointState is whether deliveries are sent to an endpoint.
type EndpointState string

// The states of an endpoint. While it is paused or disabled, new deliveries wait.
const (
	EndpointActive   EndpointState = "active"
	EndpointPaused   EndpointState = "paused"   // by a user
	EndpointDisabled EndpointState = "disabled" // automatically: see the reason
	EndpointRetired  EndpointState = "retired"  // for good
)

// The states as SQL writes them.
const (
	endpointActiveSQL   = "'" + string(EndpointActive) + "'"
	endpointDisabledSQL = "'" + string(EndpointDisabled) + "'"
	endpointRetiredSQL  = "'" + string(EndpointRetired) + "'"
)

// The reasons for which an endpoint is disabled.
const (
	DisabledGone    = "gone"    // it responded 410: it wants no more deliveries
	DisabledFailing = "failing" // nothing arrived for days
)

// EventTypes are event types, stored as a PostgreSQL array.
type EventTypes []EventType

// Value writes the array. The names of events need no quotes.
func (e EventTypes) Value() (driver.Value, error) {
	names := make([]string, len(e))
	for i := range e {
		names[i] = string(e[i])
	}
	return "{" + strings.Join(names, ",") + "}", nil
}

// Scan reads the array.
func (e *EventTypes) Scan(from any) error {
	*e = nil
	names, err := models.ArrayOf(from)
	for _, n := range names {
		*e = append(*e, EventType(n))
	}
	return err
}

// IDs are ids, stored as a PostgreSQL array.
type IDs []int64

// Value writes the array.
func (ids IDs) Value() (driver.Value, error) {
	texts := make([]string, len(ids))
	for i := range ids {
		texts[i] = strconv.FormatInt(ids[i], 10)
	}
	return "{" + strings.Join(texts, ",") + "}", nil
}

// Scan reads the array.
func (ids *IDs) Scan(from any) error {
	*ids = nil
	texts, err := models.ArrayOf(from)
	for _, s := range texts {
		id, wrong := strconv.ParseInt(s, 10, 64)
		if wrong != nil {
			return fmt.Errorf("read ids: %w", wrong)
		}
		*ids = append(*ids, id)
	}
	return err
}

// Input is an endpoint as entered in a form.
type Input struct {
	Kind      EndpointKind // of a new one; it cannot be changed
	Name      string
	URL       string // when it equals the shown form, the stored one stays
	Events    []EventType
	AllStores bool
	StoreIDs  []int64
}

// check validates what needs no database, and sorts the lists.
func (in Input) check(allowPrivate bool) (Input, error) {
	var err error
	if in.Kind != RelayEndpoint && in.Kind != WebhookEndpoint {
		return in, models.Invalid("kind", "endpoint.kindRequired")
	}
	if in.Name, err = models.Text("name", in.Name, 60); err != nil {
		return in, err
	}
	if in.URL, err = ParseEndpointURL(in.URL, allowPrivate); err != nil {
		return in, err
	}
	if in.Kind == RelayEndpoint {
		in.Events, in.AllStores, in.StoreIDs = nil, true, nil
		return in, nil
	}
	if len(in.Events) == 0 {
		return in, models.Invalid("events", "endpoint.eventsRequired")
	}
	for _, e := range in.Events {
		if !slices.Contains(WebhookEvents, e) {
			return in, models.Invalid("events", "filter.invalid")
		}
	}
	slices.Sort(in.Events)
	in.Events = slices.Compact(in.Events)
	if in.AllStores {
		in.StoreIDs = nil
	} else if len(in.StoreIDs) == 0 {
		return in, models.Invalid("stores", "endpoint.storesRequired")
	}
	slices.Sort(in.StoreIDs)
	in.StoreIDs = slices.Compact(in.StoreIDs)
	return in, nil
}

// attributes returns the endpoint's attributes for the trail, without any secret.
func (e *Endpoint) attributes() map[string]any {
	told := map[string]any{"endpoint": e.Name, "endpointKind": e.Kind, "url": e.ShownURL}
	if e.Kind == WebhookEndpoint {
		told["events"], told["allStores"], told["storeIds"] = []EventType(e.Events), e.AllStores, []int64(e.StoreIDs)
	} else {
		told["relayBody"] = e.RelayBody
	}
	return told
}

// attributesIn adds the endpoint's state to the attributes.
func (e *Endpoint) attributesIn(state EndpointState) map[string]any {
	told := e.attributes()
	told["endpointState"] = state
	return told
}

// Endpoints lists the endpoints, those in use first, each kind by name.
//
// Errors: ErrForbidden.
func (d *Service) Endpoints(ctx context.Context, actor models.Actor) ([]EndpointStatus, error) {
	if !actor.May(models.ManageEndpoints) {
		return nil, models.ErrForbidden
	}
	var all []Endpoint
	err := d.db.Gorm().WithContext(ctx).Order("state = " + endpointRetiredSQL + ", kind, lower(name), id").Limit(200).Find(&all).Error
	if err != nil {
		return nil, fmt.Errorf("list endpoints: %w", err)
	}
	waiting, err := d.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	standings := make([]EndpointStatus, len(all))
	for i := range all {
		standings[i] = EndpointStatus{Endpoint: all[i], Backlog: waiting[all[i].ID]}
	}
	return standings, nil
}

// EndpointStatus is an endpoint with its waiting deliveries.
type EndpointStatus struct {
	Endpoint
	Backlog
	ChangedByName string // of one endpoint: who made or last changed it; "" when unknown
}

// Backlog is the waiting deliveries of an endpoint.
type Backlog struct {
	Waiting int64
	Oldest  time.Time // since when the oldest has waited; zero when nothing waits
}

// Waiting returns the backlog of each endpoint.
func (d *Service) Waiting(ctx context.Context) (map[int64]Backlog, error) {
	var rows []struct {
		EndpointID int64
		Backlog
	}
	err := d.db.Gorm().WithContext(ctx).Raw(`SELECT endpoint_id, count(*) AS waiting, min(queued_at) AS oldest
		FROM deliveries WHERE state = ` + deliveryWaitingSQL + ` GROUP BY endpoint_id`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("count what waits: %w", err)
	}
	waiting := make(map[int64]Backlog, len(rows))
	for _, r := range rows {
		waiting[r.EndpointID] = r.Backlog
	}
	return waiting, nil
}

// Endpoint returns one endpoint.
//
// Errors: ErrForbidden, ErrNotFound.
func (d *Service) Endpoint(ctx context.Context, actor models.Actor, id int64) (*EndpointStatus, error) {
	if !actor.May(models.ManageEndpoints) {
		return nil, models.ErrForbidden
	}
	var e EndpointStatus
	if err := database.TakeRow(d.db.Gorm().WithContext(ctx).Where("id = ?", id), &e.Endpoint); err != nil {
		return nil, err
	}
	err := d.db.Gorm().WithContext(ctx).Raw(`SELECT count(*) AS waiting, coalesce(min(queued_at), '0001-01-01T00:00:00Z') AS oldest
		FROM deliveries WHERE state = `+deliveryWaitingSQL+` AND endpoint_id = ?`, id).Scan(&e.Backlog).Error
	if err != nil {
		return nil, fmt.Errorf("count what waits: %w", err)
	}
	if e.ChangedBy != nil {
		err = d.db.Gorm().WithContext(ctx).Raw(`SELECT name FROM users WHERE id = ?`, *e.ChangedBy).Scan(&e.ChangedByName).Error
	}
	if err != nil {
		return nil, fmt.Errorf("find who changed endpoint %d: %w", id, err)
	}
	return &e, nil
}
