package apikeys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"veinte/models"
)

// Key is a program that may use the API, with its scopes and its stores.
type Key struct {
	ID        int64
	Name      string  // as the trail names it
	Scopes    []Scope `gorm:"-"`
	AllStores bool
	StoreIDs  []int64 `gorm:"-"` // when AllStores is false
	PerMinute int     // see Pace
	Withheld  bool    // the scope that moves money opens nothing: another administrator has to confirm it
	Version   int
	CreatedAt time.Time
	CreatedBy string
	RevokedAt *time.Time // nil while it may be used
	RevokedBy string
	Secrets   []Secret `gorm:"-" db:"-"` // newest first
}

// TableName is the table of the keys.
func (Key) TableName() string { return "api_keys" }

// Secret is one of a key's secrets, without the secret itself: that is shown once
// and not stored.
type Secret struct {
	ID         int64
	KeyID      int64
	Prefix     string // its first characters
	CreatedAt  time.Time
	CreatedBy  string
	ExpiresAt  time.Time
	LastUsedAt *time.Time
	ReplacedBy *int64
	Binding    string `db:"-" gorm:"-"` // of a new one: see bind
}

// Valid reports whether the secret is accepted at an instant.
func (s *Secret) Valid(now time.Time) bool { return now.Before(s.ExpiresAt) }

// Current returns the newest secret.
func (k *Key) Current() *Secret {
	if len(k.Secrets) == 0 {
		return nil
	}
	return &k.Secrets[0]
}

// LastUsedAt is when any of the key's secrets was last used, or nil when none was.
func (k *Key) LastUsedAt() *time.Time {
	var last *time.Time
	for i := range k.Secrets {
		if at := k.Secrets[i].LastUsedAt; at != nil && (last == nil || at.After(*last)) {
			last = at
		}
	}
	return last
}

// State returns whether the key is accepted now, or why not.
func (k *Key) State(now time.Time) State {
	switch current := k.Current(); {
	case k.RevokedAt != nil:
		return Revoked
	case current == nil || !current.Valid(now):
		return Expired
	case current.ExpiresAt.Sub(now) < keySoon:
		return ExpiresSoon
	}
	return Active
}

// State is whether a key is accepted.
type State string

// The states of a key.
const (
	Active      State = "active"
	ExpiresSoon State = "expiresSoon"
	Expired     State = "expired"
	Revoked     State = "revoked"
)

// keySoon is how long before a key expires users are warned.
const keySoon = 14 * 24 * time.Hour

// Scope is one permission of a key, as OAuth names it.
type Scope string

// The scopes.
const (
	ScopeSalesWrite         Scope = "sales:write"
	ScopeSalesRead          Scope = "sales:read"
	ScopeCancellationsWrite Scope = "cancellations:write"
	ScopeCancellationsRead  Scope = "cancellations:read"
	ScopeStoresRead         Scope = "stores:read" // stores and terminals
	ScopeStoresWrite        Scope = "stores:write"
	ScopeTerminalsWrite     Scope = "terminals:write"
	ScopeChangesRead        Scope = "changes:read"     // sales, cancellations and results as they change
	ScopeAuditCheckpoint    Scope = "audit:checkpoint" // checkpoints and that they continue one another: all that a witness needs
	ScopeAuditRead          Scope = "audit:read"       // checkpoints, and proofs of single entries
	ScopeAuditFollow        Scope = "audit:follow"     // every entry as it is made
)

// Scopes lists every scope in the order in which forms show them.
var Scopes = []Scope{
	ScopeSalesWrite, ScopeSalesRead, ScopeCancellationsWrite, ScopeCancellationsRead,
	ScopeStoresRead, ScopeStoresWrite, ScopeTerminalsWrite, ScopeChangesRead, ScopeAuditCheckpoint, ScopeAuditRead, ScopeAuditFollow,
}

// grants is the permission behind each scope.
var grants = map[Scope]models.Permission{
	ScopeSalesWrite:         models.RecordSales,
	ScopeSalesRead:          models.ViewSales,
	ScopeCancellationsWrite: models.CancelSales,
	ScopeCancellationsRead:  models.ViewCancellations,
	ScopeStoresRead:         models.ViewStores,
	ScopeStoresWrite:        models.ManageStores,
	ScopeTerminalsWrite:     models.ManageTerminals,
	ScopeChangesRead:        models.FollowChanges,
	ScopeAuditCheckpoint:    models.ReadCheckpoints,
	ScopeAuditRead:          models.ReadAudit,
	ScopeAuditFollow:        models.FollowAudit,
}

// wider are the scopes that open all that another one does, and more.
var wider = map[Scope][]Scope{ScopeAuditCheckpoint: {ScopeAuditRead}}

// Pace is how many operations a key may perform in a minute. A request counts as
// one, a batch of sales as its number of sales.
type Pace string

// The paces.
const (
	PaceSlow   Pace = "slow"   // a dashboard, a SIEM
	PaceNormal Pace = "normal" // a point of sale
	PaceBulk   Pace = "bulk"   // a whole chain through one key
)

// Paces lists the paces from slow to fast.
var Paces = []Pace{PaceSlow, PaceNormal, PaceBulk}

var paces = map[Pace]int{PaceSlow: 600, PaceNormal: 30_000, PaceBulk: 3_000_000}

// PerMinute returns the number of operations per minute, or 0 when there is no such
// pace.
func (p Pace) PerMinute() int { return paces[p] }

// keyMark starts every secret, so that scanners of repositories can detect one.
const keyMark = "vk_live_"

// The parts of a secret after its mark: 256 random bits, then a checksum of four
// bytes which distinguishes a typing mistake from a wrong key.
const (
	keyBody = 52
	keySum  = 7
)

var keyText = base32.StdEncoding.WithPadding(base32.NoPadding)

// newKeySecret generates the secret of a key.
func newKeySecret() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:])
	body := strings.ToLower(keyText.EncodeToString(raw[:]))
	return keyMark + body + checksum(body)
}

func checksum(body string) string {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE([]byte(body)))
	return strings.ToLower(keyText.EncodeToString(sum[:]))
}

// wellFormed reports whether the text can be one of our secrets: copied completely
// and not mistyped.
func wellFormed(secret string) bool {
	rest, ok := strings.CutPrefix(secret, keyMark)
	return ok && len(rest) == keyBody+keySum && checksum(rest[:keyBody]) == rest[keyBody:]
}

// shownPrefix is the part of a secret that is stored and shown.
func shownPrefix(secret string) string { return secret[:len(keyMark)+4] }

// actor returns the key as an actor of the domain.
func (k *shownKey) actor() models.Actor {
	a := models.Actor{UserID: k.ID, Name: k.Name, Role: models.Integration, AllStores: k.AllStores, StoreIDs: k.StoreIDs}
	for _, s := range k.Scopes {
		if !k.Withheld || s != ScopeCancellationsWrite {
			a.Grants = append(a.Grants, s.permissions()...)
		}
	}
	return a
}

// Waits reports whether a scope of the key opens nothing until it is confirmed.
func (k *Key) Waits(s Scope) bool { return k.Withheld && s == ScopeCancellationsWrite }

// rights are what the key's program may do, and where, while its scope that moves money is
// withheld or not.
func (k *Key) rights(withheld bool) models.Rights {
	r := models.Rights{AllStores: k.AllStores, Stores: k.StoreIDs, Withheld: withheld}
	for _, s := range k.Scopes {
		r.Scopes = append(r.Scopes, string(s))
	}
	return r
}

// attributes returns the key's attributes for the trail.
func (k *Key) attributes() map[string]any {
	told := map[string]any{"name": k.Name, "scopes": k.Scopes, "withheld": k.Withheld, "allStores": k.AllStores, "perMinute": k.PerMinute}
	if !k.AllStores {
		told["stores"] = k.StoreIDs
	}
	if s := k.Current(); s != nil {
		told["prefix"], told["expiresAt"] = s.Prefix, s.ExpiresAt.UTC().Format(time.RFC3339)
		if s.Binding != "" {
			told["secretSha256"] = s.Binding
		}
	}
	return told
}

// secretHash is the hash of a secret, as stored in the database.
type secretHash = [sha256.Size]byte

// bind sets what its entry binds the stored hash by: nobody learns that from the trail, and
// nobody puts the hash of a secret of their own in its place unnoticed.
func (s *Secret) bind(hash secretHash) {
	binding := sha256.Sum256(hash[:])
	s.Binding = hex.EncodeToString(binding[:])
}

// parseScopes returns the scopes that exist, each once, in the order of Scopes.
func parseScopes(in []Scope) ([]Scope, error) {
	var out []Scope
	for _, s := range Scopes {
		if slices.Contains(in, s) {
			out = append(out, s)
		}
	}
	for _, s := range in {
		if _, ok := grants[s]; !ok {
			return nil, models.Invalid("scopes", "key.scopeUnknown")
		}
	}
	if len(out) == 0 {
		return nil, models.Invalid("scopes", "key.scopeRequired")
	}
	return out, nil
}

// Permission is the permission behind the scope.
func (s Scope) Permission() models.Permission { return grants[s] }

// Wider lists the scopes that open all that this one does, and more.
func (s Scope) Wider() []Scope { return wider[s] }

// permissions are those that a key with the scope has.
func (s Scope) permissions() []models.Permission {
	all := []models.Permission{grants[s]}
	for _, narrow := range Scopes {
		if slices.Contains(wider[narrow], s) {
			all = append(all, grants[narrow])
		}
	}
	return all
}
