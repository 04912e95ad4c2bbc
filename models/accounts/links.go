package accounts

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/audit"
	"veinte/models/database"
)

// LinkLife is how long a link to set one's password can be used.
const LinkLife = 24 * time.Hour

// LinkPath is the address of a link on the server, before its token.
const LinkPath = "/password/"

// LinkKind is what a link is for.
type LinkKind string

// The kinds of links.
const (
	Invitation    LinkKind = "invitation" // the person has no password yet
	PasswordReset LinkKind = "reset"
)

// LinkEnd is what ended a link before its time was over.
type LinkEnd string

// The ends of links.
const (
	LinkUsed     LinkEnd = "use"
	LinkReplaced LinkEnd = "newer"   // by a newer one
	LinkTaken    LinkEnd = "account" // with the account's access, or because its address is another now
)

// Link lets a person set their own password, once.
type Link struct {
	ID, UserID           int64
	Kind                 LinkKind
	CreatedAt, ExpiresAt time.Time
	EndedAt              *time.Time
	EndedBy              LinkEnd
	Name, Email          string `gorm:"->"` // of the person
	Waits                bool   `gorm:"->"` // until the person's rights are confirmed
	Token                string `gorm:"-"`  // of a link that was just made, for its address
	Mailed               bool   `gorm:"-"`  // a letter with it was queued
}

// TableName is the table of links.
func (Link) TableName() string { return "account_links" }

// Open reports whether the link can still be used.
func (l *Link) Open(now time.Time) bool { return l.EndedAt == nil && now.Before(l.ExpiresAt) }

// The refusals of links. Each tells its owner what to do.
var (
	ErrLinkUnknown  = &models.Error{Kind: models.KindNotFound, Code: "link.unknown"}
	ErrLinkUsed     = &models.Error{Kind: models.KindConflict, Code: "link.used"}
	ErrLinkReplaced = &models.Error{Kind: models.KindConflict, Code: "link.replaced"}
	ErrLinkExpired  = &models.Error{Kind: models.KindConflict, Code: "link.expired"}
	ErrLinkTaken    = &models.Error{Kind: models.KindConflict, Code: "link.taken"}
	ErrLinkOfOther  = &models.Error{Kind: models.KindConflict, Code: "link.ofOther"} // somebody else is signed in
	errLinkOff      = &models.Error{Kind: models.KindConflict, Code: "link.off"}     // people come in by the provider alone
	// ErrLinkWaits: it opens once another administrator has confirmed its person's rights.
	ErrLinkWaits    = &models.Error{Kind: models.KindConflict, Code: "link.waits"}
	errLinkDisabled = &models.Error{Kind: models.KindConflict, Code: "link.disabled"}
)

// NotifyLink has f called for every link that is made, in its transaction; f reports
// whether a letter brings it.
func (s *Service) NotifyLink(f func(database.Tx, *Link) (mailed bool, err error)) { s.mailLink = f }

// Invite adds a user, who sets their own password with the link.
//
// Errors: ErrForbidden, ErrProofNeeded, a field, email.taken, access.past, access.tooFar, user.passwordOff.
func (s *Service) Invite(ctx context.Context, actor models.Actor, in Input) (u *models.User, l *Link, err error) {
	if err := actor.Fresh(); err != nil {
		return nil, nil, err
	}
	u, err = s.create(ctx, actor, in, "", func(t database.Tx, u *models.User, told map[string]any) error {
		if err := mayHaveLink(t, u.ID, errPasswordOff); err != nil {
			return err
		}
		if l, err = s.makeLink(t, actor, u); err == nil {
			l.attributes(told)
		}
		return err
	})
	return u, l, err
}

// MakeLink makes a link by which a user sets their password. It takes the place of the
// one before; the password that they have stays until they use it.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, link.disabled, user.passwordOff.
func (s *Service) MakeLink(ctx context.Context, actor models.Actor, id int64) (l *Link, err error) {
	if !actor.May(models.ManageUsers) && actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	if err := actor.Fresh(); err != nil {
		return nil, err
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := Lock(t, id); err != nil {
			return err
		}
		u, err := ByID(t, id)
		if err != nil {
			return err
		}
		if u.ShutOut(s.clock.Now()) != nil {
			return errLinkDisabled
		}
		if err := mayHaveLink(t, u.ID, errPasswordOff); err != nil {
			return err
		}
		if l, err = s.makeLink(t, actor, u); err != nil {
			return err
		}
		if l.Kind == PasswordReset { // who has no password yet waits for it; who gets the link by mail is told by that
			if err := s.notify(t, noticeOf(actor, u.ID, models.NoticeLinkMade), !l.Mailed); err != nil {
				return err
			}
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionLinkMade, models.OutcomeSuccess,
			audit.About{After: l.attributes(map[string]any{"email": u.Email})})
	})
	if err != nil {
		return nil, fmt.Errorf("make a link for user %d: %w", id, err)
	}
	return l, nil
}

func (s *Service) makeLink(t database.Tx, actor models.Actor, u *models.User) (*Link, error) {
	now := s.clock.Now()
	if err := endLinks(t, u.ID, LinkReplaced, now); err != nil {
		return nil, err
	}
	if err := proposals.NoteHelp(t, actor, u.ID, now); err != nil {
		return nil, err
	}
	l := &Link{
		UserID: u.ID, Kind: PasswordReset, CreatedAt: now, ExpiresAt: now.Add(LinkLife), Name: u.Name, Email: u.Email, Token: rand.Text(),
	}
	if u.PasswordHash == "" {
		l.Kind = Invitation
	}
	err := t.Raw(`INSERT INTO account_links (user_id, kind, token_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
		l.UserID, l.Kind, HashToken(l.Token), l.CreatedAt, l.ExpiresAt).Scan(&l.ID).Error
	if err != nil {
		return nil, err
	}
	if s.mailLink != nil {
		if l.Mailed, err = s.mailLink(t, l); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// attributes are what the trail says of a new link.
func (l *Link) attributes(of map[string]any) map[string]any {
	of["link"], of["until"], of["mailed"] = l.Kind, l.ExpiresAt.UTC(), l.Mailed
	return of
}

// endLinks ends the link that a user has.
func endLinks(t database.Tx, userID int64, by LinkEnd, now time.Time) error {
	return t.Exec("UPDATE account_links SET ended_at = ?, ended_by = ? WHERE user_id = ? AND ended_at IS NULL", now, by, userID).Error
}

// LastLink returns the newest link of a user.
//
// Errors: ErrForbidden, ErrNotFound when they never had one.
func (s *Service) LastLink(ctx context.Context, actor models.Actor, id int64) (*Link, error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	var l Link
	err := database.TakeRow(s.db.Gorm().WithContext(ctx).Select(linkColumns).Where("user_id = ?", id).Order("id DESC"), &l)
	return &l, err
}

const (
	linkColumns = `account_links.id, user_id, kind, account_links.created_at, expires_at, ended_at, ended_by`
	linkOfToken = `SELECT ` + linkColumns + `, u.name, u.email,
			u.disabled_at IS NOT NULL
				AND EXISTS (SELECT FROM proposals p WHERE p.user_id = u.id AND p.ended_at IS NULL AND p.expires_at > @now) AS waits
		FROM account_links JOIN users u ON u.id = user_id
		WHERE token_hash = @hash OR mail_hash = @hash`
)

// OpenLink returns the link of a token while it can be used, to whoever has it. reader
// is who is signed in there.
//
// Errors: ErrLinkUnknown, ErrLinkUsed, ErrLinkReplaced, ErrLinkExpired, ErrLinkTaken,
// ErrLinkOfOther, ErrLinkWaits; of all but the first the link is returned too.
func (s *Service) OpenLink(ctx context.Context, reader models.Actor, token string) (*Link, error) {
	l, err := s.readLink(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, token)
	if err == nil && reader.UserID != 0 && reader.UserID != l.UserID {
		err = ErrLinkOfOther
	}
	return l, err
}

// readLink reads the link of a token. Who means to use it has locked its person, as all
// do who end one.
func (s *Service) readLink(t database.Tx, token string) (*Link, error) {
	var l Link
	done := t.Raw(linkOfToken, map[string]any{"hash": HashToken(token), "now": s.clock.Now()}).Scan(&l)
	switch {
	case done.Error != nil:
		return nil, fmt.Errorf("find link: %w", done.Error)
	case done.RowsAffected == 0:
		return nil, ErrLinkUnknown
	case l.EndedBy != "":
		return &l, map[LinkEnd]error{LinkUsed: ErrLinkUsed, LinkReplaced: ErrLinkReplaced, LinkTaken: ErrLinkTaken}[l.EndedBy]
	case !s.clock.Now().Before(l.ExpiresAt):
		return &l, ErrLinkExpired
	case l.Waits:
		return &l, ErrLinkWaits
	}
	return &l, mayHaveLink(t, l.UserID, errLinkOff)
}

// SetPassword sets the password of the link's person, and ends the link and their
// sessions. reader is who is signed in there, with the address of the client.
//
// Errors: as OpenLink; those of a password, see passwords.Check.
func (s *Service) SetPassword(ctx context.Context, reader models.Actor, token, password string) error {
	return s.SetPasswordWith(ctx, reader, token, password, func(database.Tx, *models.User) error { return nil })
}

// SetPasswordWith is SetPassword, with f in the same transaction.
func (s *Service) SetPasswordWith(
	ctx context.Context, reader models.Actor, token, password string, f func(database.Tx, *models.User) error,
) error {
	l, err := s.OpenLink(ctx, reader, token)
	if err != nil {
		return err
	}
	hash, err := s.NewHash(ctx, l.Name, l.Email, password)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := Lock(t, l.UserID); err != nil {
			return err
		}
		if _, err := s.readLink(t, token); err != nil {
			return err // of two at once one comes first
		}
		u, err := ByID(t, l.UserID)
		if err != nil {
			return err
		}
		if u.ShutOut(now) != nil {
			return ErrLinkTaken
		}
		if err := endLinks(t, u.ID, LinkUsed, now); err != nil {
			return err
		}
		if err := storePassword(t, u, hash); err != nil {
			return err
		}
		if err := f(t, u); err != nil {
			return err
		}
		if l.Kind == PasswordReset {
			if err := s.Notify(t, u.ActorFrom(reader), u.ID, models.NoticePasswordSet); err != nil {
				return err
			}
		}
		return audit.Record(t, u.ActorFrom(reader), now, models.ActionPasswordSet, models.OutcomeSuccess,
			audit.About{After: map[string]any{"email": u.Email, "link": l.Kind}})
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("set the password of user %d: %w", l.UserID, err)
	}
	return err
}

// storePassword gives a user another password, ends their sessions and forgets their
// devices: whoever sets one may fear that a device is in the wrong hands. Earlier
// failures must not lock out whoever has just got it.
func storePassword(t database.Tx, u *models.User, hash string) error {
	if err := t.Replace(&models.User{}, u.ID, u.Version, map[string]any{"password_hash": hash}); err != nil {
		return err
	}
	if err := EndSessions(t, u.ID); err != nil {
		return err
	}
	if err := forgetDevices(t, u.ID); err != nil {
		return err
	}
	return t.Exec("DELETE FROM login_failures WHERE email = ?", u.Email).Error
}

// MailedLink returns a link for the letter that leaves now, with a token of its own: the
// one that the administrator was shown is not stored. A letter that is tried again
// brings another one, and the one before opens nothing.
//
// Errors: ErrNotFound when the link cannot be used any more.
func (s *Service) MailedLink(ctx context.Context, id int64) (*Link, error) {
	token := rand.Text()
	l, err := database.Row[mailedLink](ctx, s.db.Pool(), `UPDATE account_links l SET mail_hash = $2 FROM users u
		WHERE l.id = $1 AND u.id = l.user_id AND l.ended_at IS NULL AND l.expires_at > $3
		RETURNING l.kind, l.expires_at, u.name, u.email`, id, HashToken(token), s.clock.Now())
	if err != nil {
		return nil, err
	}
	return &Link{ID: id, Kind: l.Kind, ExpiresAt: l.ExpiresAt, Name: l.Name, Email: l.Email, Token: token}, nil
}

type mailedLink struct {
	Kind        LinkKind
	ExpiresAt   time.Time
	Name, Email string
}
