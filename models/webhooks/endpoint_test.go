package webhooks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/secretbox"
	"veinte/models/webhooks"
)

func TestEndpointURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		url        string
		open, ours string // the refusal where private addresses are not allowed, and where they are; "" for none
	}{
		{"https://pos.example/veinte?key=a&b=c", "", ""},
		{"https://pos.example:8443", "", ""},
		{"https://1.1.1.1/", "", ""},
		{"https://[2606:4700::1111]/", "", ""},
		{"http://pos.example/", "endpoint.urlPlain", ""},
		{"", "field.required", "field.required"},
		{"   ", "field.required", "field.required"},
		{"pos.example/veinte", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"//pos.example/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"ftp://pos.example/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"file:///etc/passwd", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"gopher://127.0.0.1:25/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://:443/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https:pos.example", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://pos.example:0/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://pos.example:99999/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://pos.example/a b", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://pos.example/\r\nHost: x", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://pósé.example/", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://pos.example/#part", "endpoint.urlInvalid", "endpoint.urlInvalid"},
		{"https://user:secret@pos.example/", "endpoint.urlUser", "endpoint.urlUser"},
		{"https://@pos.example/", "endpoint.urlUser", "endpoint.urlUser"},
		{"https://pos.example/" + strings.Repeat("x", 500), "field.tooLong", "field.tooLong"},
		{"https://localhost/", "endpoint.urlPrivate", ""},
		{"https://a.LOCALHOST./", "endpoint.urlPrivate", ""},
		{"https://127.0.0.1/", "endpoint.urlPrivate", ""},
		{"https://10.0.0.8/", "endpoint.urlPrivate", ""},
		{"https://[::1]/", "endpoint.urlPrivate", ""},
		{"https://[::ffff:192.168.1.1]/", "endpoint.urlPrivate", ""},
		{"https://[fe80::1%25eth0]/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://[::127.0.0.1]/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://169.254.169.254/latest/meta-data/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://0.0.0.0/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://127.1/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://2130706433/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://0x7f000001/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
		{"https://0177.0.0.1/", "endpoint.urlPrivate", "endpoint.urlPrivate"},
	} {
		for private, want := range map[bool]string{false: tt.open, true: tt.ours} {
			_, err := webhooks.ParseEndpointURL(tt.url, private)
			got := ""
			if known, ok := err.(*models.Error); ok {
				got = known.Code
			}
			if got != want {
				t.Errorf("ParseEndpointURL(%q, %t) = %q, want %q", tt.url, private, got, want)
			}
		}
	}
}

func TestEndpointsFields(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	good := webhookInput(webhooks.EventConfirmed)
	for _, tt := range []struct {
		fact   string
		change func(*webhooks.Input)
		want   *models.Error
	}{
		{"no kind", func(in *webhooks.Input) { in.Kind = "mail" }, models.Invalid("kind", "endpoint.kindRequired")},
		{"no name", func(in *webhooks.Input) { in.Name = " " }, models.Invalid("name", "field.required")},
		{"a long name", func(in *webhooks.Input) { in.Name = strings.Repeat("ñ", 61) }, models.Invalid("name", "field.tooLong")},
		{"controls in the name", func(in *webhooks.Input) { in.Name = "a\x00b" }, models.Invalid("name", "field.invalidText")},
		{"a name that is taken, in capitals", func(in *webhooks.Input) {
			in.Name = strings.ToUpper(relayInput.Name)
		}, models.Invalid("name", "endpoint.nameTaken")},
		{"no events", func(in *webhooks.Input) { in.Events = nil }, models.Invalid("events", "endpoint.eventsRequired")},
		{"an event that is none", func(in *webhooks.Input) {
			in.Events = []webhooks.EventType{"a,b}"}
		}, models.Invalid("events", "filter.invalid")},
		{"no stores", func(in *webhooks.Input) { in.AllStores = false }, models.Invalid("stores", "endpoint.storesRequired")},
		{"a store that is none", func(in *webhooks.Input) {
			in.AllStores, in.StoreIDs = false, []int64{r.Store.ID, 9999}
		}, models.Invalid("stores", "store.unknown")},
	} {
		in := good
		tt.change(&in)
		_, secret, err := r.d.CreateEndpoint(context.Background(), r.Admin, in)
		if !modelstest.IsError(err, tt.want) || secret.Reveal() != "" {
			t.Errorf("%s: %v, want %v", tt.fact, err, tt.want)
		}
	}
	for role, who := range map[string]models.Actor{"manager": r.Manager, "supervisor": r.Supervisor} {
		if _, _, err := r.d.CreateEndpoint(context.Background(), who, good); !modelstest.IsError(err, models.ErrForbidden) {
			t.Errorf("a %s makes an endpoint: %v", role, err)
		}
	}
	keyless := webhooks.New(webhooks.Config{DB: r.DB, Clock: r.Clock})
	_, _, err := keyless.CreateEndpoint(context.Background(), r.Admin, good)
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "endpoint.noKey"}) {
		t.Errorf("without a key: %v", err)
	}
	modelstest.Wants(t, "endpoints", r.count(`SELECT count(*) FROM endpoints`), 1)
	for n := range 19 {
		in := good
		in.Name = "ERP " + string(rune('a'+n))
		r.endpoint(in)
	}
	_, _, err = r.d.CreateEndpoint(context.Background(), r.Admin, good)
	if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "endpoint.tooMany"}) {
		t.Errorf("the twenty-first: %v", err)
	}
}

// No part of an address that may be a key is shown, and a shown address is not
// accepted as an address.
func TestAddressesAreShownWithoutKeys(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	for i, tt := range []struct{ url, shown string }{
		{"https://hooks.example/services/T0/B0/secret", "https://hooks.example/…/***"},
		{"https://pos.example:8443/secret", "https://pos.example:8443/…/***"},
		{"https://pos.example?secret", "https://pos.example/…/***"},
		{"https://pos.example/%73ecret/", "https://pos.example/…/***"},
		{"https://pos.example/", "https://pos.example"},
		{"https://pos.example:8443", "https://pos.example:8443"},
	} {
		e := r.endpoint(webhooks.Input{Kind: webhooks.RelayEndpoint, Name: string(rune('a' + i)), URL: tt.url})
		modelstest.Wants(t, "shown of "+tt.url, e.ShownURL, tt.shown)
	}
	modelstest.Wants(t, "in the trail", r.count(`SELECT count(*) FROM audit_entries WHERE after::text LIKE '%secret%'`), 0)
	if _, err := webhooks.ParseEndpointURL("https://pos.example/…/***", true); err == nil {
		t.Error("an address as it is shown is accepted as one")
	}
}

// The stored address and secrets of an endpoint cannot be read without the key.
func TestEndpointsLife(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kept := func() int {
		return r.count(`SELECT count(*) FROM endpoints e
			WHERE e::text LIKE '%hidden%' OR position('hidden'::bytea IN sealed_url) > 0
				OR position('whsec'::bytea IN sealed_secret) > 0`)
	}
	modelstest.Wants(t, "secrets in the clear", kept(), 0)
	modelstest.Wants(t, "shown", r.e.ShownURL, "https://pos.example/…/***")

	must(r.d.ChangeEndpoint(ctx, r.Admin, r.e.ID, 1, webhooks.Input{Name: "Caja", URL: r.e.ShownURL}))
	r.post(r.Terminal, `{}`)
	lane := r.claim()[0]
	modelstest.Wants(t, "address, left as shown", r.head(lane).URL, relayInput.URL)
	must(r.d.ChangeEndpoint(ctx, r.Admin, r.e.ID, 2, webhooks.Input{Name: "Caja", URL: "https://new.example/?key=other"}))
	modelstest.Wants(t, "address, changed", r.head(lane).URL, "https://new.example/?key=other")
	late := webhooks.Input{Name: "Tarde", URL: "https://late.example/"}
	if err := r.d.ChangeEndpoint(ctx, r.Admin, r.e.ID, 2, late); !modelstest.IsError(err, models.ErrStale) {
		t.Errorf("a change of what was seen long ago = %v", err)
	}
	r.wantOriginal(r.e.ID) // another address is sent masked bodies until two people want what came there too

	old := r.head(lane).Secrets[0]
	fresh, err := r.d.RotateSecret(ctx, r.Admin, r.e.ID, 3)
	must(err)
	secrets := r.head(lane).Secrets
	if len(secrets) != 2 || secrets[0] != fresh || secrets[1] != old {
		t.Errorf("a day's secrets: %d", len(secrets))
	}
	r.Clock.Advance(24 * time.Hour)
	modelstest.Wants(t, "secrets after it", len(r.head(lane).Secrets), 1)
	must(r.d.Sweep(ctx))
	modelstest.Wants(t, "old secrets kept", r.count(`SELECT count(*) FROM endpoints WHERE sealed_old_secret IS NOT NULL`), 0)

	must(r.d.PauseEndpoint(ctx, r.Admin, r.e.ID, 4))
	modelstest.Wants(t, "next while paused", r.head(lane), (*webhooks.Outgoing)(nil))
	r.post(r.Terminal, `{"later":1}`)
	modelstest.Wants(t, "due while paused", len(r.claim()), 0)
	must(r.d.ResumeEndpoint(ctx, r.Admin, r.e.ID, 5))
	modelstest.Wants(t, "what waited", r.drain(), []string{`{}`, `{"later":1}`})

	r.post(r.Terminal, `{"last":1}`)
	must(r.d.RetireEndpoint(ctx, r.Admin, r.e.ID, 6))
	modelstest.Wants(t, "due when it is retired", len(r.claim()), 0)
	must(r.d.Sweep(ctx))
	modelstest.Wants(t, "what is left of it", r.count(`SELECT count(*) FROM endpoints WHERE sealed_url <> '' OR sealed_secret <> ''`), 0)
	deliveries := r.count(`SELECT count(*) FROM deliveries WHERE state = 'waiting' OR sealed_body IS NOT NULL`)
	modelstest.Wants(t, "what still waits", deliveries+r.count(`SELECT count(*) FROM delivery_lanes`), 0)
	r.post(r.Terminal, `{"nobody":1}`)
	modelstest.Wants(t, "deliveries", r.count(`SELECT count(*) FROM deliveries`), 3)
	for act, err := range map[string]error{
		"paused":      r.d.PauseEndpoint(ctx, r.Admin, r.e.ID, 7),
		"resumed":     r.d.ResumeEndpoint(ctx, r.Admin, r.e.ID, 7),
		"retired":     r.d.RetireEndpoint(ctx, r.Admin, r.e.ID, 7),
		"redelivered": r.d.Redeliver(ctx, r.Admin, 1),
	} {
		if !modelstest.IsError(err, &models.Error{Kind: models.KindConflict, Code: "endpoint.retired"}) {
			t.Errorf("retired, and %s: %v", act, err)
		}
	}
	r.endpoint(webhooks.Input{Kind: webhooks.RelayEndpoint, Name: "Caja", URL: "https://pos.example/"}) // its name is free again
	modelstest.Wants(t, "entries", r.count(`SELECT count(*) FROM audit_entries WHERE action LIKE 'endpoint.%'`), 8)
	modelstest.Wants(t, "secrets in the trail", r.count(`SELECT count(*) FROM audit_entries
		WHERE after::text LIKE '%key=%' OR after::text LIKE '%/veinte%' OR after::text LIKE '%whsec%'`), 0)
}

// An endpoint that responds 410, or fails for days, is disabled.
func TestEndpointsAreDisabled(t *testing.T) {
	t.Parallel()
	for fact, tt := range map[string]struct {
		detail webhooks.Reason
		after  time.Duration
		reason string
	}{
		"gone": {webhooks.TryGone, 0, webhooks.DisabledGone}, "three days": {webhooks.TryTimeout, 72 * time.Hour, webhooks.DisabledFailing},
		"almost": {webhooks.TryTimeout, 71 * time.Hour, ""},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, relayInput)
			r.post(r.Terminal, `{}`)
			r.report(r.head(r.claim()[0]), webhooks.TryTimeout)
			r.Clock.Advance(tt.after + 5*time.Second)
			r.post(r.NewTerminal(r.Store), `{"b":1}`)
			lanes := r.claim()
			r.report(r.head(lanes[len(lanes)-1]), tt.detail)
			e, err := r.d.Endpoint(context.Background(), r.Admin, r.e.ID)
			if err != nil || e.StateReason != tt.reason || (e.State == webhooks.EndpointDisabled) != (tt.reason != "") {
				t.Fatalf("the endpoint is %s %q, %v, want %q", e.State, e.StateReason, err, tt.reason)
			}
			entries := r.count(`SELECT count(*) FROM audit_entries WHERE action = 'endpoint.disabled' AND reason = $1`, tt.reason)
			modelstest.Wants(t, "entries", entries, map[bool]int{false: 0, true: 1}[tt.reason != ""])
			if tt.reason == "" {
				return
			}
			modelstest.Wants(t, "told", r.Operations.Notices(context.Background()).Endpoints, []string{relayInput.Name})
			if err := r.d.ResumeEndpoint(context.Background(), r.Admin, r.e.ID, e.Version); err != nil {
				t.Fatal(err)
			}
			r.Clock.Advance(time.Minute) // the other lane was claimed, without an outcome
			modelstest.Wants(t, "what waited", len(r.drain()), 2)
		})
	}
}

// A copy of the database reveals nothing: with another key nothing can be sent.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, relayInput)
	r.post(r.Terminal, `{"a":1}`)
	other, err := secretbox.New("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		t.Fatal(err)
	}
	both, err := secretbox.New("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=, " + modelstest.SecretBoxKey)
	if err != nil {
		t.Fatal(err)
	}
	lane := r.claim()[0]
	for fact, tt := range map[string]struct {
		sealer *secretbox.Box
		opens  bool
	}{"no key": {nil, false}, "another key": {other, false}, "a new key before the old one": {both, true}} {
		d := webhooks.New(webhooks.Config{DB: r.DB, Clock: r.Clock, Box: tt.sealer, AllowPrivate: true})
		p, err := d.Head(context.Background(), lane)
		if err != nil {
			t.Fatal(err)
		}
		if opens := p.Trouble == nil && string(p.Body) == `{"a":1}`; opens != tt.opens {
			t.Errorf("%s: opened %t, want %t", fact, opens, tt.opens)
		}
	}
	d := webhooks.New(webhooks.Config{DB: r.DB, Clock: r.Clock, Box: both, AllowPrivate: true})
	if err := d.ChangeEndpoint(context.Background(), r.Admin, r.e.ID, 1, webhooks.Input{Name: "POS", URL: r.e.ShownURL}); err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, r.Owner, `UPDATE deliveries SET sealed_body = NULL`) // as after the delivery
	d = webhooks.New(webhooks.Config{DB: r.DB, Clock: r.Clock, Box: other, AllowPrivate: true})
	if p, err := d.Head(context.Background(), lane); err != nil || p.Trouble != nil || p.URL != relayInput.URL {
		t.Errorf("saved with the new key, it is read with that alone: %v, %v", p.Trouble, err)
	}
	for _, keys := range []string{
		"short",
		"AAAA",
		strings.Repeat("x", 44),
		modelstest.SecretBoxKey + ",",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	} {
		if _, err := secretbox.New(keys); err == nil {
			t.Errorf("NewSealer(%q) accepts it", keys)
		}
	}
}
