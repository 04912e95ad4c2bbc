package commands

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/wiring"
)

// Key groups the commands that manage API keys without a browser.
type Key struct {
	Create keyCreateCommand `cmd:"" help:"Make a key and print its secret, once."`
	List   keyListCommand   `cmd:"" help:"List every key; secrets are not kept."`
	Revoke keyRevokeCommand `cmd:"" help:"End a key, at once."`
}

type keyCreateCommand struct {
	appURL    `embed:""`
	Name      string   `required:"" help:"Which program uses it, and where; the trail names it so."`
	Scope     []string `required:"" help:"What it may do; may be repeated: sales:write, sales:read, cancellations:write, cancellations:read, stores:read, stores:write, terminals:write, changes:read, audit:checkpoint, audit:read, audit:follow."`
	AllStores bool     `help:"In every store."`
	Store     []string `help:"Code of a store; may be repeated."`
	Pace      string   `default:"normal" enum:"slow,normal,bulk" help:"How much a minute: ${enum} (600, 30,000, 3,000,000 operations)."`
	Days      int      `default:"365" help:"When its secret expires: 30, 90, 180 or 365 days."`
}

// Run makes the key. Only the secret goes to standard output.
func (k *keyCreateCommand) Run(ctx context.Context) error {
	return k.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		ids, err := storeIDs(ctx, services, actor, k.Store)
		if err != nil {
			return err
		}
		in := apikeys.Input{Name: k.Name, AllStores: k.AllStores, StoreIDs: ids, Pace: apikeys.Pace(k.Pace), Days: k.Days}
		for _, s := range k.Scope {
			in.Scopes = append(in.Scopes, apikeys.Scope(s))
		}
		key, secret, err := services.APIKeys.CreateKey(ctx, actor, in)
		if err != nil {
			return err
		}
		fmt.Println(secret)
		fmt.Fprintf(os.Stderr, "key %d expires %s; it is not shown again\n", key.ID, key.Current().ExpiresAt.Format(time.DateOnly))
		return nil
	})
}

type keyListCommand struct {
	appURL `embed:""`
}

func (k *keyListCommand) Run(ctx context.Context) error {
	return k.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		keys, err := services.APIKeys.Keys(ctx, actor)
		if err != nil {
			return err
		}
		for i := range keys {
			key := &keys[i]
			scopes := make([]string, len(key.Scopes))
			for j, s := range key.Scopes {
				scopes[j] = string(s)
			}
			fmt.Printf("%d\t%s\t%s\t%s\t%s\t%s\n", key.ID, key.State(time.Now()), key.Current().Prefix,
				key.Current().ExpiresAt.Format(time.DateOnly), strings.Join(scopes, ","), key.Name)
		}
		return nil
	})
}

type keyRevokeCommand struct {
	appURL `embed:""`
	ID     int64 `arg:"" help:"Number of the key, as list shows it."`

	KeepRequests bool `help:"Leave what its program asked for and has not left. Otherwise none of it is sent, and the server withdraws it."`
}

func (k *keyRevokeCommand) Run(ctx context.Context) error {
	return k.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		key, err := services.APIKeys.Key(ctx, actor, k.ID)
		if err != nil {
			return err
		}
		revoke := services.APIKeys.RevokeKey
		if k.KeepRequests {
			revoke = services.APIKeys.RevokeKeyOnly
		}
		return revoke(ctx, actor, key.ID, key.Version)
	})
}
