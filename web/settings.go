package web

import (
	"fmt"
	"os"
	"reflect"
	"time"

	settingsview "veinte/views/settings"
	"veinte/web/commands"
	"veinte/web/tunnel"
)

// settings are the server's settings: each an environment variable and a flag. They
// are stored as text until all are checked, so that all mistakes are reported at
// once. A field tagged secret is printed as *** and may come from the file that
// NAME_FILE names. One tagged shown is listed on the connection page. One tagged kept names
// a file or folder that a backup of the database lacks.
type settings struct {
	DatabaseURL    string `name:"database-url" env:"DATABASE_URL" secret:"" help:"PostgreSQL, as the application's role: postgres://user@host/database or libpq keywords."`
	PagesURL       string `name:"database-pages-url" env:"DATABASE_PAGES_URL" secret:"" help:"The same database through a pooler in transaction mode, such as PgBouncer, for pages alone; without it they too use DATABASE_URL."`
	Addr           string `name:"addr" env:"ADDR" help:"Where people and terminals connect (default :8020, or :$PORT)."`
	Port           string `name:"port" env:"PORT" hidden:"" help:"Port alone, as some platforms give it."`
	AdminAddr      string `name:"admin-addr" env:"ADMIN_ADDR" default:"127.0.0.1:8029" help:"Metrics and profiles; empty for none. Keep it private."`
	DrainDelay     string `name:"drain-delay" env:"DRAIN_DELAY" default:"3s" help:"How long a server that stops goes on answering after /readyz has turned red, for those who lead requests to it to notice."`
	BaseURL        string `name:"base-url" env:"BASE_URL" help:"The address people type, such as https://veinte.example; https makes cookies secure."`
	TrustedProxies string `name:"trusted-proxies" env:"TRUSTED_PROXIES" help:"Addresses or networks, by commas, of the proxies in front, whose X-Forwarded-For is believed; none where there is none."`
	InsecureHTTP   string `name:"insecure-http" env:"INSECURE_HTTP" default:"off" help:"on serves other machines without https and without TRUSTED_PROXIES, which administrators read on every page: on or off."`

	InsecureDatabase string `name:"insecure-database" env:"INSECURE_DATABASE" default:"off" help:"on connects without TLS to a database on another machine: on or off."`

	ServeAsOwner         string `name:"serve-as-owner" env:"SERVE_AS_OWNER" default:"off" help:"on lets the server use a role that owns the tables or is a superuser, and could so change the trail: on or off."`
	FailoverKeepsCommits string `name:"failover-keeps-commits" env:"FAILOVER_KEEPS_COMMITS" default:"off" help:"on promises that every commit waits for a standby (synchronous_standby_names), so that a promoted one lacks nothing: on or off."`

	SecurityContact string `name:"security-contact" env:"SECURITY_CONTACT" help:"Whom to tell of a weakness, by commas: mailto:, https: or tel: addresses, served as /.well-known/security.txt; without it there is no such page."`

	CancelBaseURL string `name:"cancel-base-url" env:"CANCEL_BASE_URL" shown:"" help:"Where the cancellation service lives; a path prefix is kept."`
	CancelPath    string `name:"cancel-path" env:"CANCEL_PATH" shown:"" default:"/integration-service/transactions/cancel" help:"Path of its cancel operation."`
	InquiryPath   string `name:"inquiry-path" env:"INQUIRY_PATH" shown:"" default:"/integration-service/transactions/reprint" help:"Path of its inquiry operation; empty for none."`
	CancelProxy   string `name:"cancel-proxy" env:"CANCEL_PROXY" shown:"" secret:"" help:"HTTP proxy through which the service and its token operation are reached, by CONNECT: http://user:password@proxy:3128, or https where the proxy speaks TLS; empty for none. No proxy of the environment is used."`
	CancelTimeout string `name:"cancel-timeout" env:"CANCEL_TIMEOUT" shown:"" default:"30s" help:"How long its answer may take; 20s to 30s work in practice."`
	CancelAck     string `name:"cancel-ack-means" env:"CANCEL_ACK_MEANS" shown:"" default:"sent" help:"What its acknowledgement means: sent (to the terminal), or canceled where no terminal posts results."`

	TokenMode         string `name:"token-mode" env:"TOKEN_MODE" shown:"" default:"static" help:"How its access token is had: static, password or client_credentials."`
	TokenURL          string `name:"token-url" env:"TOKEN_URL" shown:"" help:"The token operation (default: oauth-service/oauth/token under the base)."`
	TokenUsername     string `name:"token-username" env:"TOKEN_USERNAME" shown:"" secret:"" help:"For TOKEN_MODE=password."`
	TokenPassword     string `name:"token-password" env:"TOKEN_PASSWORD" shown:"" secret:"" help:"For TOKEN_MODE=password."`
	TokenClientID     string `name:"token-client-id" env:"TOKEN_CLIENT_ID" shown:"" secret:"" help:"The application's credential."`
	TokenClientSecret string `name:"token-client-secret" env:"TOKEN_CLIENT_SECRET" shown:"" secret:"" help:"The application's credential."`
	AccessToken       string `name:"access-token" env:"ACCESS_TOKEN" shown:"" secret:"" help:"For TOKEN_MODE=static. ACCESS_TOKEN_FILE is read again when it changes."`

	ResultsSecret      string `name:"results-secret" env:"RESULTS_SECRET" secret:"" help:"Unguessable last part of /results/…, where terminals post; at least 24 characters."`
	ResultsKeysFile    string `name:"results-keys-file" env:"RESULTS_KEYS_FILE" kept:"" help:"Master keys of the terminals' own addresses, one a line, the newest first, two at most; readable by nobody else. Without it all terminals share one address."`
	ResultsSharedUntil string `name:"results-shared-until" env:"RESULTS_SHARED_UNTIL" help:"Last day, in Mexico City, on which posts at the shared address are taken, such as 2027-01-31; empty for no last day."`
	ResultsNetworks    string `name:"results-networks" env:"RESULTS_NETWORKS" help:"Networks, by commas, from which terminals may post; empty for everywhere."`
	ResultsPace        string `name:"results-pace" env:"RESULTS_PACE" default:"3200" help:"Posts a minute that are taken from one address (IPv4) or /64 (IPv6) at the shared address."`

	ResultWait   string `name:"result-wait" env:"RESULT_WAIT" default:"180s" help:"How long a terminal's result may take before the case is in doubt."`
	QuietTime    string `name:"quiet-time" env:"QUIET_TIME" default:"180s" help:"How long a terminal may still act on a request after it was sent."`
	Cutoff       string `name:"cutoff" env:"CUTOFF" default:"20:00" help:"When the day's sales can no longer be canceled."`
	CutoffZone   string `name:"cutoff-zone" env:"CUTOFF_ZONE" default:"America/Mexico_City" help:"Whose clock that is."`
	CutoffMargin string `name:"cutoff-margin" env:"CUTOFF_MARGIN" default:"5s" help:"How long before it nothing more is sent."`

	RelayKey             string `name:"relay-key" env:"RELAY_KEY" secret:"" help:"Seals what is forwarded: 32 random bytes in base64, such as openssl rand -base64 32 gives; a new key before the old one, by a comma. Without it nothing can be forwarded."`
	DeliveryAllowPrivate string `name:"delivery-allow-private" env:"DELIVERY_ALLOW_PRIVATE" default:"false" help:"Forward to private networks and this machine too, there without https: true or false."`

	DeliveryProxy string `name:"delivery-proxy" env:"DELIVERY_PROXY" secret:"" help:"HTTP proxy through which everything is forwarded, by CONNECT, as CANCEL_PROXY. The proxy then looks names up and has to refuse those of private networks."`

	SMTPHost     string `name:"smtp-host" env:"SMTP_HOST" help:"Mail server for alerts; without it no mail is sent. TLS is required, but for this machine."`
	SMTPPort     string `name:"smtp-port" env:"SMTP_PORT" default:"587" help:"Its port: 465 speaks TLS from the start, any other by STARTTLS."`
	SMTPUsername string `name:"smtp-username" env:"SMTP_USERNAME" secret:"" help:"To sign in to it; empty when it asks for nothing."`
	SMTPPassword string `name:"smtp-password" env:"SMTP_PASSWORD" secret:"" help:"To sign in to it."`
	SMTPFrom     string `name:"smtp-from" env:"SMTP_FROM" help:"Whose name alerts are sent in, such as Veinte <veinte@tienda.example>."`

	OIDCIssuer       string `name:"oidc-issuer" env:"OIDC_ISSUER" help:"Provider of the single sign-on, by OpenID Connect, such as https://login.example.com/realms/shops; without it people sign in by password alone."`
	OIDCClientID     string `name:"oidc-client-id" env:"OIDC_CLIENT_ID" help:"What the provider calls this server."`
	OIDCClientSecret string `name:"oidc-client-secret" env:"OIDC_CLIENT_SECRET" secret:"" help:"By which the provider knows this server; empty for a public client."`
	OIDCScopes       string `name:"oidc-scopes" env:"OIDC_SCOPES" default:"profile email" help:"What is asked of the provider beside openid, by spaces."`
	OIDCGroupsClaim  string `name:"oidc-groups-claim" env:"OIDC_GROUPS_CLAIM" default:"groups" help:"Where the provider says a person's groups; a dot leads into an object: realm_access.roles."`
	OIDCName         string `name:"oidc-name" env:"OIDC_NAME" help:"The provider as people know it, on the button of the sign-in page."`

	AuditKeyFile       string `name:"audit-key-file" env:"AUDIT_KEY_FILE" kept:"" help:"Private keys that seal the trail, one a line, the newest first, as veinte audit keygen writes them; readable by nobody else."`
	AuditCheckpointDir string `name:"audit-checkpoint-dir" env:"AUDIT_CHECKPOINT_DIR" kept:"" help:"Where signed checkpoints go outside the database, best on another disk: an absolute path."`
	AuditTSA           string `name:"audit-tsa" env:"AUDIT_TSA" secret:"" help:"Time stamping authorities (RFC 3161) that stamp the trail once a day, by commas, each perhaps as name=https://…; an address may hold a user and a password."`
	AuditWitnesses     string `name:"audit-witnesses" env:"AUDIT_WITNESSES" kept:"" help:"A file of witnesses that cosign the trail every hour: a line each, its public key and its address."`

	TracesEndpoint string `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"Collector that traces go to, by OpenTelemetry's OTLP over HTTP, such as http://127.0.0.1:4318; without it nothing is traced. Its other settings (OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and so on) are read by their names."`

	Practice    string `name:"practice" env:"PRACTICE" default:"off" help:"An installation to learn with, on a database of its own and against the sandbox alone: on or off."`
	PracticeURL string `name:"practice-url" env:"PRACTICE_URL" help:"Where this server's practice twin is, for people to be led to from /help."`

	TestWaits string `name:"test-waits" env:"TEST_WAITS" default:"off" hidden:"" help:"on lets the waits and the margin leave their bounds, for tests against a service on this machine."`

	LogLevel  string `name:"log-level" env:"LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
	LogFormat string `name:"log-format" env:"LOG_FORMAT" default:"text" help:"text or json, on standard error."`
}

// each calls f with every setting: its variable, its value, *** for a secret, and
// whether it is shown.
func (s *settings) each(f func(name, value string, shown bool)) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		_, secret := tag.Lookup("secret")
		_, shown := tag.Lookup("shown")
		f(tag.Get("env"), masked(v.Field(i).String(), secret), shown)
	}
}

// setup lists how the service is reached, and what to enter at the terminals.
func (s *settings) setup(base string) []settingsview.Setting {
	var list []settingsview.Setting
	s.each(func(name, value string, shown bool) {
		if name == "TOKEN_URL" {
			value = s.tokenURL()
		}
		if name == "CANCEL_PROXY" {
			value = tunnel.Shown(s.CancelProxy)
		}
		if shown {
			list = append(list, settingsview.Setting{Name: name, Value: value})
		}
	})
	results := settingsview.Setting{Name: "RESULTS_SECRET"}
	if s.ResultsSecret != "" {
		results.Value = base + "/results/" + masked(s.ResultsSecret, true)
	}
	return append(list, results,
		settingsview.Setting{Name: "RESULTS_SHARED_UNTIL", Value: s.ResultsSharedUntil},
		settingsview.Setting{Name: "RESULTS_KEYS_FILE", Value: s.ResultsKeysFile},
		settingsview.Setting{Name: "RESULTS_NETWORKS", Value: s.ResultsNetworks},
		settingsview.Setting{Name: "RESULTS_PACE", Value: s.ResultsPace})
}

// masked hides a secret.
func masked(value string, secret bool) string {
	if secret && value != "" {
		return "***"
	}
	return value
}

type configCommand struct {
	settings `embed:""`
}

// Run prints the effective settings and their mistakes.
func (c *configCommand) Run(files *commands.SecretFiles) error {
	c.Addr, c.TokenURL = c.address(&mistakes{}), c.tokenURL()
	c.settings.each(func(name, value string, _ bool) {
		if name != "PORT" {
			fmt.Printf("%s=%s\n", name, value)
		}
	})
	checked, err := c.settings.checkServed(files.Problems)
	if err == nil {
		for _, text := range checked.notes(time.Now()) {
			fmt.Fprintln(os.Stderr, "note:", text)
		}
	}
	return err
}
