// Package roundtrips counts how often a program asks PostgreSQL and waits, where nothing can
// hide it: on the connection.
package roundtrips

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// Counter stands between programs and a database, and passes on what they say.
type Counter struct {
	URL      string // of the database, through the counter
	upstream [2]string
	listener net.Listener
	trips    atomic.Int64
}

// New starts a counter before the database that dsn names.
func New(dsn string) (*Counter, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("roundtrips: %w", err)
	}
	c := &Counter{}
	c.upstream[0], c.upstream[1] = pgconn.NetworkAddress(config.Host, config.Port)
	if c.listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("roundtrips: %w", err)
	}
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Host: c.listener.Addr().String(),
		Path: config.Database, RawQuery: "sslmode=disable",
	}
	c.URL = through.String()
	go c.accept()
	return c, nil
}

// Close lets nobody else in. Connections end with the programs that have them.
func (c *Counter) Close() error { return c.listener.Close() }

// Trips is how often somebody sent something and then waited for the database, since the
// counter began. What is sent in one go is one, however many statements there are in it.
func (c *Counter) Trips() int64 { return c.trips.Load() }

func (c *Counter) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return // closed
		}
		go c.pass(client)
	}
}

// pass passes on what both sides say until one has gone.
func (c *Counter) pass(client net.Conn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(context.Background(), c.upstream[0], c.upstream[1])
	if err != nil {
		return
	}
	defer server.Close()
	// asked is how often the client asked, without those that were answered.
	var asked atomic.Int64
	go func() {
		defer client.Close()
		_ = copyMessages(client, server, func(kind byte) {
			if kind == 'Z' && asked.Load() > 0 { // ready for the next; once also for the first
				asked.Add(-1)
			}
		})
	}()
	r := bufio.NewReaderSize(client, 32<<10)
	if err := copyStartup(server, r); err != nil {
		return
	}
	_ = copyMessages(server, r, func(kind byte) {
		switch kind {
		case 'Q', 'S': // a query, and the end of a batch
			if asked.Add(1) == 1 {
				c.trips.Add(1)
			}
		case 'H': // what is read before the end of a batch
			if asked.Load() == 0 {
				c.trips.Add(1)
			}
		}
	})
}

// copyStartup copies the first message, the only one without a kind.
// https://www.postgresql.org/docs/current/protocol-message-formats.html
func copyStartup(to io.Writer, from io.Reader) error {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return err
	}
	if _, err := to.Write(length[:]); err != nil {
		return err
	}
	_, err := io.CopyN(to, from, int64(binary.BigEndian.Uint32(length[:]))-4)
	return err
}

// copyMessages copies messages, and says the kind of each before it is sent.
func copyMessages(to io.Writer, from io.Reader, heard func(kind byte)) error {
	r, ok := from.(*bufio.Reader)
	if !ok {
		r = bufio.NewReaderSize(from, 32<<10)
	}
	w := bufio.NewWriterSize(to, 32<<10)
	var head [5]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		length := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if length < 0 {
			return errors.New("roundtrips: not a message of PostgreSQL")
		}
		heard(head[0])
		_, _ = w.Write(head[:]) // its error is that of the next
		if _, err := io.CopyN(w, r, length); err != nil {
			return err
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}
