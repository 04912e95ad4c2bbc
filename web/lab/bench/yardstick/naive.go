package yardstick

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// The tables as gorm knows them.
type (
	personStore struct{ PersonID, StoreID int64 }
	person      struct {
		ID                   int64
		Name, Role, Language string
		DisabledAt           *time.Time
		Stores               []personStore
	}
	login struct {
		TokenHash []byte `gorm:"primaryKey"`
		PersonID  int64
		Person    person
		ExpiresAt time.Time
	}
	terminal struct {
		ID, StoreID         int64
		SerialNumber, Label string
	}
	dayTotal struct {
		StoreID, TerminalID     int64
		Terminal                terminal
		Day                     time.Time
		Sales, Amount, Canceled int64
		LastSold                time.Time
	}
	sale struct {
		ID, StoreID, TerminalID, Amount int64
		Terminal                        terminal
		OrderID, Last4, Brand, State    string
		SoldAt, Day                     time.Time
	}
)

func (login) TableName() string { return "sessions" }

// ServeNaive serves the page of the database at an address.
func ServeNaive(addr, database string) error {
	db, err := gorm.Open(postgres.Open(database), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return fmt.Errorf("yardstick: %w", err)
	}
	pool, err := db.DB()
	if err != nil {
		return fmt.Errorf("yardstick: %w", err)
	}
	pool.SetMaxOpenConns(20)
	pool.SetMaxIdleConns(20)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/ready", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	app.Get("/", func(c *fiber.Ctx) error {
		db := db.WithContext(c.UserContext())
		hash := sha256.Sum256([]byte(c.Cookies(cookieName)))
		var found login
		switch err := db.Preload("Person.Stores").Where("token_hash = ? AND expires_at > ?", hash[:], time.Now()).Take(&found).Error; {
		case errors.Is(err, gorm.ErrRecordNotFound):
			return fiber.ErrUnauthorized
		case err != nil:
			return err
		}
		var totals []dayTotal
		err := db.Preload("Terminal").Where("store_id = ? AND day = ?", itsStore, today).Order("terminal_id").Find(&totals).Error
		if err != nil {
			return err
		}
		var sales []sale
		err = db.Preload("Terminal").Where("store_id = ? AND day = ?", itsStore, today).Order("sold_at DESC, id DESC").
			Limit(shown).Find(&sales).Error
		if err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
		return page(found.Person.Name, totals, sales).Render(c.UserContext(), c.Response().BodyWriter())
	})
	return app.Listen(addr)
}
