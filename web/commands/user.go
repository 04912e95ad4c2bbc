package commands

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/wiring"
)

// User groups the commands about accounts: to create the first administrator, and to
// restore access for any user.
type User struct {
	Create        userCreateCommand  `cmd:"" help:"Create a person. The password is read from standard input, or they set their own (--invite)."`
	List          userListCommand    `cmd:"" help:"List everybody."`
	Export        userExportCommand  `cmd:"" help:"Print all that is stored of a person, as JSON, for whoever asks for their data."`
	Disable       userDisableCommand `cmd:"" help:"Shut a person out, at once."`
	ResetPassword userResetCommand   `cmd:"" name:"reset-password" help:"Give a person a new password, read from standard input."`
	ResetFactors  userFactorsCommand `cmd:"" name:"reset-factors" help:"Remove the app and the recovery codes of a person who lost them."`
}

type userCreateCommand struct {
	appURL    `embed:""`
	Email     string   `required:"" help:"The address they sign in with."`
	Name      string   `required:"" help:"Their name, as others read it."`
	Role      string   `default:"administrator" enum:"manager,supervisor,administrator,auditor" help:"What they are: ${enum}."`
	AllStores bool     `help:"A supervisor or an auditor of every store."`
	Store     []string `help:"Code of a store they see; may be repeated."`
	Until     string   `placeholder:"YYYY-MM-DD" help:"The last day of their access, to its end in Mexico City. An auditor must have one."`
	Invite    bool     `help:"Print an address at which they set their own password, once and within 24 hours, instead of reading one."`
	BaseURL   string   `env:"BASE_URL" help:"The address people type, for --invite."`
}

func (u *userCreateCommand) Run(ctx context.Context) error {
	return u.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		ids, err := storeIDs(ctx, services, actor, u.Store)
		if err != nil {
			return err
		}
		in := accounts.Input{
			Email: u.Email, Name: u.Name, Role: models.Role(u.Role), AllStores: u.AllStores, StoreIDs: ids, AccessUntil: u.Until,
		}
		if u.Invite {
			_, link, err := services.Accounts.Invite(ctx, actor, in)
			if err != nil {
				return err
			}
			fmt.Println(linkAddress(u.BaseURL, link))
			return nil
		}
		if in.Password, err = readPassword(); err != nil {
			return err
		}
		created, err := services.Accounts.CreateUser(ctx, actor, in)
		if err != nil {
			return err
		}
		fmt.Println("created", created.Email, created.Role)
		return nil
	})
}

// InviteFirst invites the first administrator, and returns the address at which they set
// their password. Whoever was invited before and has not come yet gets a new one. With
// another administrator there, or one who has a password, it returns "".
func InviteFirst(ctx context.Context, databaseURL, baseURL, email, name string) (address string, err error) {
	err = appURL{DatabaseURL: databaseURL}.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		users, err := services.Accounts.Users(ctx, actor)
		if err != nil {
			return err
		}
		var link *accounts.Link
		if slices.ContainsFunc(users, func(u models.User) bool { return u.Role == models.Administrator && !strings.EqualFold(u.Email, email) }) {
			return nil
		}
		invited, err := services.Accounts.UserByEmail(ctx, email)
		switch {
		case errors.Is(err, models.ErrNotFound):
			_, link, err = services.Accounts.Invite(ctx, actor, accounts.Input{Email: email, Name: name, Role: models.Administrator})
		case err == nil && invited.PasswordHash == "":
			link, err = services.Accounts.MakeLink(ctx, actor, invited.ID)
		default:
			return err
		}
		if err == nil {
			address = linkAddress(baseURL, link)
		}
		return err
	})
	return address, err
}

// linkAddress is where a link is opened.
func linkAddress(baseURL string, link *accounts.Link) string {
	return strings.TrimRight(baseURL, "/") + accounts.LinkPath + link.Token
}

func storeIDs(ctx context.Context, services *wiring.Services, actor models.Actor, codes []string) ([]int64, error) {
	dir, err := services.Terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	var ids []int64
	visible := dir.Visible(actor)
	for _, code := range codes {
		at := slices.IndexFunc(visible, func(s models.Store) bool { return strings.EqualFold(s.Code, code) })
		if at < 0 {
			return nil, fmt.Errorf("there is no store %q", code)
		}
		ids = append(ids, visible[at].ID)
	}
	return ids, nil
}

// readPassword reads one line from standard input. A password in the arguments would
// be visible in the process list.
func readPassword() (string, error) {
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprint(os.Stderr, "password: ")
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", fmt.Errorf("no password on standard input: %w", err)
	}
	return line, nil
}

type userListCommand struct {
	appURL `embed:""`
}

func (u *userListCommand) Run(ctx context.Context) error {
	return u.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		users, err := services.Accounts.Users(ctx, actor)
		for _, user := range users {
			state := "active"
			if user.DisabledAt != nil {
				state = "disabled"
			}
			if user.AccessUntil != nil {
				state += " until " + string(*user.AccessUntil)
			}
			fmt.Printf("%s\t%s\t%s\t%s\n", user.Email, user.Role, state, user.Name)
		}
		return err
	})
}

// oneUser is the base of a command about one account.
type oneUser struct {
	appURL `embed:""`
	Email  string `arg:"" help:"The address they sign in with."`
}

func (o oneUser) do(ctx context.Context, f func(*wiring.Services, models.Actor, *models.User) error) error {
	return o.with(ctx, func(services *wiring.Services, actor models.Actor) error {
		u, err := services.Accounts.UserByEmail(ctx, o.Email)
		if err != nil {
			return err
		}
		return f(services, actor, u)
	})
}

type userExportCommand struct {
	oneUser `embed:""`
}

func (u *userExportCommand) Run(ctx context.Context) error {
	return u.do(ctx, func(services *wiring.Services, actor models.Actor, user *models.User) error {
		data, err := services.Accounts.PersonalData(ctx, actor, user.ID)
		if err != nil {
			return err
		}
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(data)
	})
}

type userDisableCommand struct {
	oneUser      `embed:""`
	KeepRequests bool `help:"Leave what they asked for and has not left. Otherwise none of it is sent, and the server withdraws it."`
}

func (u *userDisableCommand) Run(ctx context.Context) error {
	return u.do(ctx, func(services *wiring.Services, actor models.Actor, user *models.User) error {
		disable := services.Accounts.DisableUser
		if u.KeepRequests {
			disable = services.Accounts.DisableUserOnly
		}
		return disable(ctx, actor, user.ID, user.Version)
	})
}

type userResetCommand struct {
	oneUser `embed:""`
}

func (u *userResetCommand) Run(ctx context.Context) error {
	return u.do(ctx, func(services *wiring.Services, actor models.Actor, user *models.User) error {
		password, err := readPassword()
		if err != nil {
			return err
		}
		return services.Accounts.ResetPassword(ctx, actor, user.ID, password)
	})
}

type userFactorsCommand struct {
	oneUser `embed:""`
}

func (u *userFactorsCommand) Run(ctx context.Context) error {
	return u.do(ctx, func(services *wiring.Services, actor models.Actor, user *models.User) error {
		return services.Entrance.ResetFactors(ctx, actor, user.ID)
	})
}
