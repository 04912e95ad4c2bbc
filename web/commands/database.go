package commands

import (
	"context"
	"log/slog"
	"os"
	"os/user"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/wiring"
)

// OwnerURL is the flag for the database as its owner, directly, not through a
// pooler.
type OwnerURL struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the owner of the schema, not through a pooler."`
}

// appURL is the flag for the database as the server uses it.
type appURL struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the server uses it."`
	SealKeys    `embed:""`
}

// with gives f the services over the database, and the actor that represents the
// command line in the trail.
func (a appURL) with(ctx context.Context, f func(*wiring.Services, models.Actor) error) error {
	db, err := database.Open(ctx, database.DBConfig{URL: a.DatabaseURL, Application: "veinte user", MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	defer a.Seal(ctx, db)
	return f(wiring.Over(db), Operator())
}

// withCalendar gives f the services over a database, with the days of a cut-off in a
// zone, and seals what it did. They run no jobs.
func withCalendar(
	ctx context.Context, config database.DBConfig, seal SealKeys, cutoff, zone string, f func(*wiring.Services) error,
) error {
	calendar, err := models.NewCalendar(cutoff, zone)
	if err != nil {
		return err
	}
	db, err := database.Open(ctx, config)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := database.CheckZoneData(ctx, db); err != nil {
		return err
	}
	defer seal.Seal(ctx, db)
	return f(wiring.New(wiring.Config{
		DB: db, Clock: models.ShiftedClock(0), Window: models.Window{Calendar: calendar}, Logger: slog.Default(),
	}))
}

// Operator returns the actor of a command: the program, on behalf of the operating
// system's user.
func Operator() models.Actor {
	name := os.Getenv("USER")
	if who, err := user.Current(); err == nil {
		name = who.Username // environment variables could be set to any name
	}
	host, _ := os.Hostname()
	actor := models.System("command line", name)
	actor.Address = host
	return actor
}
