package exchange

import (
	"context"
	"net/url"

	"veinte/models"
	"veinte/models/secretbox"
	"veinte/models/webhooks"
	"veinte/views/locale"
	"veinte/views/ui"
)

// EndpointsView lists where results and events are forwarded to.
type EndpointsView struct {
	ui.Page
	HasKey    bool // there is a key to seal with, so one can be added
	Endpoints []webhooks.EndpointStatus
}

// EndpointFormView is the form of an endpoint: a new one at GET /endpoints/new,
// a known one at GET /endpoints/:id/edit.
type EndpointFormView struct {
	ui.Page
	ID           int64 // 0 for a new one
	Stores       []models.Store
	AllowPrivate bool
	Form         EndpointForm
}

// EndpointForm is what was entered of an endpoint.
type EndpointForm struct {
	Kind      webhooks.EndpointKind
	Name      string
	URL       string // of a known one as it is shown, until another is typed
	Events    []webhooks.EventType
	AllStores bool
	StoreIDs  []int64
	Version   int
	Errors    ui.Errors
}

// EndpointView is one endpoint: how it fares, what was and is delivered to it.
type EndpointView struct {
	ui.Page
	Endpoint webhooks.EndpointStatus
	Stores   []models.Store
	Stuck    []webhooks.StuckLane // what gets nowhere
	State    webhooks.State       // of the log; "" shows all
	Cursor   string
	Log      webhooks.Page
	Since    models.Day // from which what failed is delivered again
	Errors   ui.Errors
}

// EndpointSecretView shows a secret, this once.
type EndpointSecretView struct {
	ui.Page
	Endpoint webhooks.Endpoint
	Secret   secretbox.Secret
	Rotated  bool // there was one before, which holds for another day
}

// DeliveryView is one delivery with its tries.
type DeliveryView struct {
	ui.Page
	History webhooks.DeliveryHistory
	Errors  ui.Errors
}

func (v *EndpointFormView) title(ctx context.Context) string {
	if v.ID == 0 {
		return locale.T(ctx, "endpoint.new."+string(v.Form.Kind))
	}
	return locale.T(ctx, "endpoint.edit")
}

func endpointPath(id int64) string { return "/endpoints/" + ui.Itoa(id) }

func (v *EndpointView) path(act string) string {
	return endpointPath(v.Endpoint.ID) + "/" + act
}

func (v *EndpointView) logURL(state webhooks.State, cursor string) string {
	q := url.Values{}
	ui.Set(q, "state", string(state))
	ui.Set(q, "cursor", cursor)
	return ui.Address(endpointPath(v.Endpoint.ID), q)
}

// running reports whether the endpoint is delivered to.
func (v *EndpointView) running() bool { return v.Endpoint.State == webhooks.EndpointActive }

// mayConfirm reports whether the reader is another person than the one who asked for the
// original.
func (v *EndpointView) mayConfirm() bool {
	return v.Endpoint.ChangedBy != nil && *v.Endpoint.ChangedBy != v.Actor.UserID
}

func (v *EndpointView) retired() bool { return v.Endpoint.State == webhooks.EndpointRetired }

// urlHint says which addresses are taken.
func (v *EndpointFormView) urlHint() string {
	if v.AllowPrivate {
		return "endpoint.urlHintPrivate"
	}
	return "endpoint.urlHint"
}
