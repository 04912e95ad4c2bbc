package commands

import (
	"context"
	"os"
	"os/user"

	"veinte/models"
	"veinte/models/database"
)

// OwnerURL is the database as its owner, directly, not through a pooler.
type OwnerURL struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the owner of the schema, not through a pooler."`
}

// appURL is the database as the server uses it.
type appURL struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" secret:"" required:"" help:"PostgreSQL, as the server uses it."`
}

// with opens the database and gives f the actor that the trail names for the
// command line.
func (a appURL) with(ctx context.Context, f func(*database.DB, models.Actor) error) error {
	db, err := database.Open(ctx, database.DBConfig{URL: a.DatabaseURL, Application: "veinte user", MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	return f(db, Operator())
}

// Operator is whoever runs a command: the operating system's user, which the
// trail names as the one on whose behalf the program acts.
func Operator() models.Actor {
	name := os.Getenv("USER")
	if who, err := user.Current(); err == nil {
		name = who.Username // what the environment says anybody can write
	}
	host, _ := os.Hostname()
	actor := models.System("command line", name)
	actor.Address = host
	return actor
}
