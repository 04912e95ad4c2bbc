package entrance

import (
	"context"
	"net/url"

	"veinte/views/locale"
	"veinte/views/ui"
)

// SSOButton is the way in by the provider of the single sign-on.
type SSOButton struct {
	Name string // of the provider, as people know it; "" for words of ours
}

func (b *SSOButton) label(ctx context.Context) string {
	if b.Name == "" {
		return locale.T(ctx, "sso.enter")
	}
	return locale.T(ctx, "sso.enterWith", "Name", b.Name)
}

func (b *SSOButton) endLabel(ctx context.Context) string {
	if b.Name == "" {
		return locale.T(ctx, "sso.end")
	}
	return locale.T(ctx, "sso.endWith", "Name", b.Name)
}

func (b *SSOButton) path(next string) string {
	if next == "" || next == "/" {
		return "/login/oidc"
	}
	return "/login/oidc?" + url.Values{"next": {next}}.Encode()
}

// SSOView is the page of somebody whom the provider did not bring in.
type SSOView struct {
	ui.Page
	Button SSOButton
	Next   string // where they wanted to go
	Code   string // catalogue key of why
}

// LoginPath is the sign-in page, which leads on to where they wanted to go.
func (v *SSOView) LoginPath() string {
	if v.Next == "" || v.Next == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {v.Next}}.Encode()
}
