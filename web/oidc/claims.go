package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/oauth2"

	"veinte/models"
)

const (
	maxName   = 255 // bytes of a subject, a session or a group
	maxGroups = 1000
)

// claims are what a token says of a person.
type claims struct {
	AuthorizedParty string
	NotBefore       float64

	all map[string]json.RawMessage
}

// UnmarshalJSON keeps every claim: which one has the groups is a setting.
func (c *claims) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &c.all); err != nil {
		return err
	}
	if raw, ok := c.all["azp"]; ok {
		if err := json.Unmarshal(raw, &c.AuthorizedParty); err != nil {
			return fmt.Errorf("azp: %w", err)
		}
	}
	if raw, ok := c.all["nbf"]; ok {
		if err := json.Unmarshal(raw, &c.NotBefore); err != nil {
			return fmt.Errorf("nbf: %w", err)
		}
	}
	return nil
}

func (c *claims) early(now time.Time) bool {
	return c.NotBefore > float64(now.Add(skew).Unix())
}

// text is a claim that is text; "" when it is anything else.
func (c *claims) text(name string) string {
	var s string
	_ = json.Unmarshal(c.all[name], &s)
	return strings.TrimSpace(s)
}

// truth is a claim that is true. Some providers write it as text.
func (c *claims) truth(name string) bool {
	value := string(c.all[name])
	return value == "true" || value == `"true"`
}

// falsehood is a claim that is false, and not only left out.
func (c *claims) falsehood(name string) bool {
	value := string(c.all[name])
	return value == "false" || value == `"false"`
}

// complete asks the provider for what the token leaves out. Providers may give a person's
// address and groups there only.
func (c *Client) complete(ctx context.Context, p *provider, token *oauth2.Token, of *claims) error {
	_, groups, err := of.groups(c.config.GroupsClaim)
	if err != nil || p.UserInfoEndpoint() == "" || groups && of.text("email") != "" {
		return nil
	}
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return c.unreachable("what it knows of a person could not be read", fmt.Errorf("%s", clip(err.Error())))
	}
	if info.Subject == "" || info.Subject != of.text("sub") {
		return c.notBelieved("it speaks of somebody else", nil)
	}
	more := &claims{}
	if err := info.Claims(more); err != nil {
		return c.notBelieved("what it knows of a person cannot be read", err)
	}
	switch of.text("email") { // whether an address was verified is said of that one
	case "":
		delete(of.all, "email_verified")
	case more.text("email"):
	default:
		delete(more.all, "email_verified")
	}
	for name, value := range more.all {
		if _, there := of.all[name]; !there {
			of.all[name] = value
		}
	}
	return nil
}

// identity is who the claims speak of.
func (c *Client) identity(of *claims) (*models.Identity, error) {
	groups, _, err := of.groups(c.config.GroupsClaim)
	if err != nil {
		c.config.Log.Warn("single sign-on refused", "error", err)
		return nil, ErrTooManyGroups
	}
	id := &models.Identity{
		Issuer: c.config.Issuer, Subject: of.text("sub"), SessionID: of.text("sid"), Email: of.text("email"),
		EmailVerified: of.truth("email_verified"), EmailDenied: of.falsehood("email_verified"), Name: of.text("name"), Groups: groups,
	}
	if id.Name == "" {
		id.Name = of.text("preferred_username")
	}
	if !name(id.Subject, false) || !name(id.SessionID, true) {
		return nil, c.notBelieved("the token names nobody", nil)
	}
	return id, nil
}

// name reports whether something can be the name of a thing at the provider.
func name(s string, empty bool) bool {
	return (s != "" || empty) && len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsFunc(s, models.Invisible)
}

// groups reads the groups: a list of names, or one name. there is whether they were said
// at all.
func (c *claims) groups(claim string) (list []string, there bool, err error) {
	raw, there := find(c.all, claim)
	if !there {
		var elsewhere map[string]json.RawMessage
		_ = json.Unmarshal(c.all["_claim_names"], &elsewhere)
		if _, many := elsewhere[claim]; many || c.truth("hasgroups") {
			return nil, false, fmt.Errorf("the token leaves %q out because they are too many", claim)
		}
		return nil, false, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		raw, _ = json.Marshal([]string{one})
	}
	var all []json.RawMessage
	_ = json.Unmarshal(raw, &all)
	if len(all) > maxGroups {
		return nil, true, fmt.Errorf("%d groups are too many", len(all))
	}
	for _, each := range all {
		var group string
		if json.Unmarshal(each, &group) == nil && name(group, false) {
			list = append(list, group)
		}
	}
	return list, true, nil
}

// find follows a name into objects: realm_access.roles. A claim that is called so wins, as
// names with dots in them are usual.
func find(in map[string]json.RawMessage, claim string) (json.RawMessage, bool) {
	if raw, ok := in[claim]; ok {
		return raw, string(raw) != "null"
	}
	for i, r := range claim {
		if r != '.' {
			continue
		}
		var inner map[string]json.RawMessage
		if raw, ok := in[claim[:i]]; ok && json.Unmarshal(raw, &inner) == nil {
			if found, ok := find(inner, claim[i+1:]); ok {
				return found, true
			}
		}
	}
	return nil, false
}
