package alerts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// Mail is a letter to one address. It refers to its alert, to the cancellation whose
// doubt ended, to the link that it brings, to what happened to an account or to the day whose
// checkpoint it brings; one that refers to nothing is a test. Its text is written when it is sent.
type Mail struct {
	ID             int64
	MessageID      string `gorm:"type:uuid"` // the same with every try: a receiver can recognize repeats
	AlertID        *int64
	CancellationID *int64
	AccountLinkID  *int64

	AccountNoticeID *int64
	CheckpointDay   *models.Day

	More       int // how often it happened again; 0: the first letter
	Recipient  string
	Language   string
	State      MailState
	Detail     MailDetail // of the last try
	Answer     string     // of the server, its first characters
	Tries      int
	DueAt      time.Time
	CreatedAt  time.Time
	Lease      *string
	Alert      *Alert                `gorm:"-"`
	Ended      *Ended                `gorm:"-"`
	Link       *accounts.Link        `gorm:"-"` // with its token
	Notice     *models.AccountNotice `gorm:"-"`
	Checkpoint *sealing.Checkpoint   `gorm:"-"` // as it is now: a later one vouches for the day too
}

// Ended is what a letter says of a doubt that ended.
type Ended struct {
	SaleID    int64
	State     models.State
	StoreName string
	OrderID   string
	Amount    models.Money
	Last4     string
	SoldAt    time.Time
	EndedAt   time.Time
}

// MailState is the state of a letter.
type MailState string

// The states of a letter. SMTP reports only that a server accepted it.
const (
	MailWaiting MailState = "waiting"
	MailSent    MailState = "sent"
	MailGivenUp MailState = "givenUp"
)

// The states as SQL literals.
const (
	mailWaitingSQL = "'" + string(MailWaiting) + "'"
	mailGivenUpSQL = "'" + string(MailGivenUp) + "'"
)

// MailDetail is the result of a try.
type MailDetail string

// The results of a try.
const (
	MailAccepted    MailDetail = "taken"       // the server has it
	MailRefused     MailDetail = "refused"     // 5xx: no other try would help
	MailLater       MailDetail = "later"       // 4xx
	MailTimeout     MailDetail = "timeout"     // no reply in time
	MailUnreachable MailDetail = "unreachable" // no connection
	MailTLS         MailDetail = "tlsFailed"   // no trusted connection
	MailSignIn      MailDetail = "signIn"      // the server refuses our name and password
	MailOver        MailDetail = "over"        // its link was used or replaced before it left
)

// MailAnswer is the result of one try.
type MailAnswer struct {
	At       time.Time
	Duration time.Duration
	Detail   MailDetail
	Answer   string
}

const (
	mailLease    = 2 * time.Minute // longer than a try may take
	mailMaxAge   = 24 * time.Hour
	firstMailTry = 30 * time.Second
	maxRetryWait = time.Hour
)

// ClaimMails claims letters that are due. When a process dies, its letters are due
// again at the end of their lease, so a letter may arrive twice, with the same
// Message-ID. SMTP has no way to avoid this: a server that accepted a letter and
// could not confirm it cannot be asked again.
func (a *Service) ClaimMails(ctx context.Context, most int) ([]Mail, error) {
	if !a.canMail {
		return nil, nil
	}
	now := a.clock.Now()
	var mails []Mail
	err := a.db.Gorm().WithContext(ctx).Raw(`UPDATE mails SET lease = gen_random_uuid(), leased_until = @until WHERE id IN (
			SELECT id FROM mails WHERE state = `+mailWaitingSQL+` AND due_at <= @now AND (leased_until IS NULL OR leased_until <= @now)
			ORDER BY due_at, id LIMIT @most FOR UPDATE SKIP LOCKED) RETURNING *`,
		map[string]any{"now": now, "until": now.Add(mailLease), "most": most}).Scan(&mails).Error
	if err != nil {
		return nil, fmt.Errorf("take letters: %w", err)
	}
	due := mails[:0]
	for i := range mails {
		m := &mails[i]
		if err := a.fill(ctx, m); (m.AccountLinkID != nil || m.CheckpointDay != nil) && errors.Is(err, models.ErrNotFound) {
			if err := a.withdrawMail(ctx, m); err != nil {
				return nil, err
			}
			continue
		} else if err != nil {
			return nil, fmt.Errorf("read what letter %d is about: %w", m.ID, err)
		}
		due = append(due, *m)
	}
	return due, nil
}

// fill reads what a letter is about, as it is now.
func (a *Service) fill(ctx context.Context, m *Mail) (err error) {
	switch {
	case m.CancellationID != nil:
		m.Ended, err = a.ended(ctx, *m.CancellationID)
	case m.AccountLinkID != nil:
		m.Link, err = a.links.MailedLink(ctx, *m.AccountLinkID)
	case m.AccountNoticeID != nil:
		m.Notice, err = a.links.NoticeOf(ctx, *m.AccountNoticeID)
	case m.CheckpointDay != nil:
		if m.Checkpoint, err = a.checkpoints.LatestCheckpoint(ctx); err == nil && m.Checkpoint == nil {
			err = models.ErrNotFound
		}
	case m.AlertID != nil:
		m.Alert = &Alert{}
		err = database.TakeRow(a.db.Gorm().WithContext(ctx).Where("id = ?", *m.AlertID), m.Alert)
	}
	return err
}

// withdrawMail takes back a letter whose link cannot be used any more, or that has nothing to bring.
func (a *Service) withdrawMail(ctx context.Context, m *Mail) error {
	now := a.clock.Now()
	err := a.db.InTx(ctx, func(t database.Tx) error {
		done := t.Exec(`UPDATE mails SET state = `+mailGivenUpSQL+`, detail = ?, finished_at = ?, lease = NULL, leased_until = NULL
			WHERE id = ? AND state = `+mailWaitingSQL, MailOver, now, m.ID)
		if done.Error != nil || done.RowsAffected == 0 {
			return done.Error
		}
		return recordAbandoned(t, m, MailOver, now)
	})
	if err != nil {
		return fmt.Errorf("take back letter %d: %w", m.ID, err)
	}
	return nil
}

// MailLink queues the letter that brings a person the link to set their password. It
// reports false without a mail server.
func (a *Service) MailLink(t database.Tx, l *accounts.Link) (bool, error) {
	if !a.canMail {
		return false, nil
	}
	done := t.Exec(`INSERT INTO mails (account_link_id, recipient, language, due_at, created_at)
		SELECT @id, email, coalesce(nullif(language, ''), 'es-MX'), @now, @now FROM users
		WHERE id = @to AND email !~ '[[:cntrl:]]'`, // a letter that mails refuses must not keep the link from being made
		map[string]any{"id": l.ID, "to": l.UserID, "now": l.CreatedAt})
	if done.Error != nil {
		return false, fmt.Errorf("write letter with link %d: %w", l.ID, done.Error)
	}
	return done.RowsAffected > 0, nil
}

// MailNotice queues the letter that tells a person what happened to their account. It does
// nothing without a mail server, or for a person who may not sign in any more.
func (a *Service) MailNotice(t database.Tx, n *models.AccountNotice) error {
	if !a.canMail {
		return nil
	}
	err := t.Exec(`INSERT INTO mails (account_notice_id, recipient, language, due_at, created_at)
		SELECT @id, email, coalesce(nullif(language, ''), 'es-MX'), @now, @now FROM users
		WHERE id = @to AND disabled_at IS NULL AND (access_until IS NULL OR access_until >= @today)
			AND email !~ '[[:cntrl:]]'`, // a letter that mails refuses must not keep the act from happening
		map[string]any{"id": n.ID, "to": n.UserID, "now": n.At, "today": models.AccessDay(n.At)}).Error
	if err != nil {
		return fmt.Errorf("write letter with notice %d: %w", n.ID, err)
	}
	return nil
}

// ended reads what a letter says of a cancellation, as it is now.
func (a *Service) ended(ctx context.Context, id int64) (*Ended, error) {
	e, err := database.Row[Ended](ctx, a.db.Pool(), `SELECT c.sale_id, c.state, o.name AS store_name, s.order_id, s.amount, s.last4,
			s.sold_at, c.changed_at AS ended_at
		FROM cancellations c JOIN sales s ON s.id = c.sale_id JOIN stores o ON o.id = c.store_id WHERE c.id = $1`, id)
	return &e, err
}

// MailEnded queues a letter to the person who asked for a cancellation, about whose
// doubt it is known now how it ended. It does nothing without a mail server, or for a
// person who may not sign in any more.
func (a *Service) MailEnded(t database.Tx, c *models.Cancellation) error {
	if !a.canMail {
		return nil
	}
	err := t.Exec(`INSERT INTO mails (cancellation_id, recipient, language, due_at, created_at)
		SELECT @id, email, coalesce(nullif(language, ''), 'es-MX'), @now, @now FROM users
		WHERE id = @to AND disabled_at IS NULL AND (access_until IS NULL OR access_until >= @today)
			AND email !~ '[[:cntrl:]]'`, // a letter that mails refuses must not keep the doubt from ending
		map[string]any{"id": c.ID, "to": c.RequestedBy, "now": c.ChangedAt, "today": models.AccessDay(c.ChangedAt)}).Error
	if err != nil {
		return fmt.Errorf("write letter about cancellation %d: %w", c.ID, err)
	}
	return nil
}

// abandonMail abandons letters that could not be sent in time, because there is no
// mail server or no process was running. No letter is sent weeks later.
func abandonMail(t database.Tx, now time.Time) error {
	var old []Mail
	err := t.Raw(`UPDATE mails SET state = `+mailGivenUpSQL+`, finished_at = @now, lease = NULL, leased_until = NULL WHERE id IN (
			SELECT id FROM mails WHERE state = `+mailWaitingSQL+` AND created_at <= @since AND (leased_until IS NULL OR leased_until <= @now)
			ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING *`, map[string]any{"now": now, "since": now.Add(-mailMaxAge)}).Scan(&old).Error
	if err != nil {
		return fmt.Errorf("give up letters: %w", err)
	}
	for i := range old {
		if err := recordAbandoned(t, &old[i], old[i].Detail, now); err != nil {
			return err
		}
	}
	return nil
}

func recordAbandoned(t database.Tx, m *Mail, detail MailDetail, now time.Time) error {
	return audit.Record(t, models.System("mail", ""), now, models.ActionMailGivenUp, models.OutcomeFailure, audit.About{
		After: map[string]any{"mail": m.ID, "recipient": m.Recipient, "alert": m.AlertID, "detail": detail},
	})
}

// ReportMail stores the result of a try, and the time of the next.
func (a *Service) ReportMail(ctx context.Context, m *Mail, answer MailAnswer) error {
	now := a.clock.Now()
	state, wait := MailWaiting, min(firstMailTry<<min(m.Tries, 10), maxRetryWait)
	switch {
	case answer.Detail == MailAccepted:
		state = MailSent
	case answer.Detail == MailRefused, !now.Before(m.CreatedAt.Add(mailMaxAge)):
		state = MailGivenUp
	}
	answer.Answer = models.Truncate(models.Legible(answer.Answer, 300), 300)
	err := a.db.InTx(ctx, func(t database.Tx) error {
		columns := map[string]any{
			"state": state, "detail": answer.Detail, "answer": answer.Answer, "tries": m.Tries + 1,
			"due_at": now.Add(wait), "lease": nil, "leased_until": nil,
		}
		if state != MailWaiting {
			columns["finished_at"] = now
		}
		done := t.Model(&Mail{}).Where("id = ? AND state = "+mailWaitingSQL+" AND lease::text = ?", m.ID, m.Lease).Updates(columns)
		if done.Error != nil || done.RowsAffected == 0 {
			return done.Error // another process has claimed it
		}
		err := t.Exec(`INSERT INTO mail_tries (mail_id, number, at, duration_ms, detail, answer) VALUES (?, ?, ?, ?, ?, ?)`,
			m.ID, m.Tries+1, answer.At, answer.Duration.Milliseconds(), answer.Detail, answer.Answer).Error
		if err != nil || state != MailGivenUp {
			return err
		}
		return recordAbandoned(t, m, answer.Detail, now)
	})
	if err != nil {
		return fmt.Errorf("write what came of letter %d: %w", m.ID, err)
	}
	return nil
}

// errNoMail refuses to send a letter where no mail server is set.
var errNoMail = &models.Error{Kind: models.KindConflict, Code: "alert.noMail"}

// SendTestMail queues a letter to the actor.
//
// Errors: ErrForbidden, alert.noMail.
func (a *Service) SendTestMail(ctx context.Context, actor models.Actor, language string) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	if !a.canMail {
		return errNoMail
	}
	if language != "en" {
		language = "es-MX"
	}
	now := a.clock.Now()
	err := a.db.InTx(ctx, func(t database.Tx) error {
		var u models.User
		if err := database.TakeRow(t.Where("id = ?", actor.UserID), &u); err != nil {
			return err
		}
		// Pressed ten times, it is sent once.
		err := t.Exec(`INSERT INTO mails (recipient, language, due_at, created_at) SELECT @to, @language, @now, @now
			WHERE NOT EXISTS (SELECT FROM mails
				WHERE num_nonnulls(alert_id, cancellation_id, account_link_id, account_notice_id, checkpoint_day) = 0
					AND recipient = @to AND state = `+mailWaitingSQL+`)`,
			map[string]any{"to": u.Email, "language": language, "now": now}).Error
		if err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionMailTested, models.OutcomeSuccess,
			audit.About{After: map[string]any{"recipient": u.Email}})
	})
	if err != nil {
		return fmt.Errorf("send a test: %w", err)
	}
	return nil
}

// shownMails is how many letters the settings show.
const shownMails = 20

// Mails lists the last letters, newest first.
//
// Errors: ErrForbidden.
func (a *Service) Mails(ctx context.Context, actor models.Actor) ([]Mail, error) {
	if !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	var all []Mail
	if err := a.db.Gorm().WithContext(ctx).Order("id DESC").Limit(shownMails).Find(&all).Error; err != nil {
		return nil, fmt.Errorf("list letters: %w", err)
	}
	return all, nil
}
