package commands

import (
	"context"
	"os"
	"os/user"

	"veinte/models"
	"veinte/models/database"
)

// OwnerURL is the flag for the database as its owner, directly, not through a
// pooler.
type OwnerURL struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the owner of the schema, not through a pooler."`
}

// appURL is the flag for the database as the server uses it.
type appURL struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the server uses it."`
}

// with opens the database and gives f the actor that represents the command line in
// the trail.
func (a appURL) with(ctx context.Context, f func(*database.DB, models.Actor) error) error {
	db, err := database.Open(ctx, database.DBConfig{URL: a.DatabaseURL, Application: "veinte user", MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	return f(db, Operator())
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
