package results

import (
	"context"
	"fmt"
	"time"

	"veinte/models/intake"
)

// A terminal that was out of reach, or whose post our server did not take, posts later
// what it kept. Where the order number holds no time, such a sale may be of another day,
// and the service cancels those of today only.
const (
	// morning is the hour before which what is posted may be of the day before.
	morning = 6
	// silence is how long nothing was heard before a terminal may have kept sales. What
	// our server did not hear in an hour, it did not hear of any terminal.
	silence = time.Hour
	// catchUp is how long after that a terminal may still be posting what it kept.
	catchUp = 10 * time.Minute
)

// dayUnproven reports whether nothing proves that the sale of the post was made on the
// day on which it came.
func (rd *reading) dayUnproven(ctx context.Context) (bool, error) {
	calendar := rd.s.window().Calendar
	switch intake.ProofOfTime(rd.r.OrderID, rd.r.SerialNumber, rd.r.ReceivedAt, calendar) {
	case intake.Agrees:
		return false, nil
	case intake.Differs:
		return true, nil
	}
	if rd.r.ReceivedAt.In(calendar.Zone()).Hour() < morning {
		return true, nil
	}
	return rd.afterSilence(ctx)
}

// afterSilence reports whether the terminal had been silent until the post, or until
// shortly before it: until the first of those that came with it. What was posted at the
// address of another terminal is not heard of this one.
func (rd *reading) afterSilence(ctx context.Context) (silent bool, err error) {
	t := rd.r.ReceivedAt
	err = rd.SQL.QueryRowContext(ctx, `
		WITH heard AS (
			SELECT received_at AS at FROM results
			WHERE serial_number = $1 AND received_at BETWEEN $2 AND $4 AND (address_serial = '' OR own_address))
		SELECT NOT EXISTS (SELECT FROM heard
			WHERE at <= $3 AND at > (SELECT min(at) FROM heard WHERE at > $3) - make_interval(secs => $5))`,
		rd.r.SerialNumber, t.Add(-catchUp-silence), t.Add(-catchUp), t, silence.Seconds()).Scan(&silent)
	if err != nil {
		return false, fmt.Errorf("look for when terminal %s was heard: %w", rd.r.SerialNumber, err)
	}
	return silent, nil
}
