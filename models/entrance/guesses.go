package entrance

import (
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// How often a password may be guessed. A device that has signed in to the account before
// is counted by itself, so nobody locks its owner out. Of everybody else five wrong ones
// from one network are free, then each wait is twice the last; in an hour there are no
// more than ten for an account, from wherever they come. A network, which a whole shop
// may share, has a higher limit for all accounts together.
const (
	guessWindow          = time.Hour
	freeGuesses          = 5
	firstWait            = time.Minute
	guessesPerAccount    = 10
	networkWindow        = 15 * time.Minute
	guessesPerNetwork    = 50
	loginFailuresKeptFor = 24 * time.Hour
)

// devicePrefix begins what a known device is counted by; no network does.
const devicePrefix = "device "

// guesser is who tries to sign in to an account, as it is counted.
type guesser struct {
	email, by string
	known     bool // a device on which they have signed in before
	own       bool // and that they said is theirs
}

// TooManyLogins is models.ErrTooManyLogins, with the time until the next try is heard.
type TooManyLogins struct{ Wait time.Duration }

func (e *TooManyLogins) Error() string { return models.ErrTooManyLogins.Error() }

// Unwrap makes it the refusal that it is.
func (e *TooManyLogins) Unwrap() error { return models.ErrTooManyLogins }

// mayGuess returns a TooManyLogins if this one has to wait.
func mayGuess(t database.Tx, now time.Time, g guesser) error {
	var failed struct {
		Own              int
		Last             *time.Time
		Account, Network *time.Time // the failure that has to be forgotten first
	}
	err := t.Raw(`SELECT
		(SELECT count(*) FROM login_failures WHERE email = @email AND address = @by AND at > @hour) AS own,
		(SELECT max(at) FROM login_failures WHERE email = @email AND address = @by AND at > @hour) AS last,
		(SELECT at FROM login_failures WHERE email = @email AND address NOT LIKE @device AND at > @hour
			ORDER BY at DESC OFFSET @perAccount LIMIT 1) AS account,
		(SELECT at FROM login_failures WHERE address = @by AND at > @quarter ORDER BY at DESC OFFSET @perNetwork LIMIT 1) AS network`,
		map[string]any{
			"email": g.email, "by": g.by, "hour": now.Add(-guessWindow), "quarter": now.Add(-networkWindow),
			"device": devicePrefix + "%", "perAccount": guessesPerAccount - 1, "perNetwork": guessesPerNetwork - 1,
		}).Scan(&failed).Error
	if err != nil {
		return fmt.Errorf("count failed sign-ins: %w", err)
	}
	var until time.Time
	later := func(at *time.Time, wait time.Duration) {
		if at != nil && at.Add(wait).After(until) {
			until = at.Add(wait)
		}
	}
	later(failed.Last, waitAfter(failed.Own))
	if !g.known {
		later(failed.Account, guessWindow)
		later(failed.Network, networkWindow)
	}
	if until.After(now) {
		return &TooManyLogins{until.Sub(now)}
	}
	return nil
}

// waitAfter is how long somebody waits after so many wrong guesses within an hour.
func waitAfter(failed int) time.Duration {
	if failed < freeGuesses {
		return 0
	}
	return min(firstWait<<min(failed-freeGuesses, 10), guessWindow)
}

// noteGuess counts a wrong one.
func noteGuess(t database.Tx, now time.Time, g guesser) error {
	if err := t.Exec("INSERT INTO login_failures (email, address, at) VALUES (?, ?, ?)", g.email, g.by, now).Error; err != nil {
		return err
	}
	return t.Exec("DELETE FROM login_failures WHERE at < ?", now.Add(-loginFailuresKeptFor)).Error
}

// lockGuesses counts again after the password was checked, one attempt per account at a
// time. Otherwise several parallel attempts would all count as the first.
func lockGuesses(t database.Tx, now time.Time, g guesser) error {
	if err := t.Lock(database.LoginLock(g.email)); err != nil {
		return err
	}
	return mayGuess(t, now, g)
}
