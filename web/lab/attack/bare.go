package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/valyala/fasthttp"
)

// bare is a server that knows nothing and asks nobody: a page of 20 kB, and no place for
// whoever signs in. What its page takes during a flood is what the machine takes.
func bare() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	page := bytes.Repeat([]byte("<p>veinte</p>\n"), 1500)
	return fasthttp.Serve(listener, func(c *fasthttp.RequestCtx) {
		if c.IsPost() {
			c.SetStatusCode(fasthttp.StatusServiceUnavailable)
			return
		}
		c.SetContentType("text/html")
		c.SetBody(page)
	})
}

// floodBare measures the bare server's page under the same flood.
func floodBare(ctx context.Context) (_ *latencies, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0], "-bare")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		stop()
		_ = cmd.Wait()
	}()
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the bare server: %w", err)
	}
	at := "http://" + addr[:len(addr)-1]
	l, enough, over := &latencies{}, make(chan struct{}), make(chan time.Time)
	guessed := make(chan error, 1)
	go func() {
		defer close(over)
		guessed <- floods(ctx, at, enough)
	}()
	for {
		took, err := fetch(ctx, at)
		if err != nil {
			return nil, err
		}
		l.pages = append(l.pages, took)
		if len(l.pages) == 2*clicks {
			close(enough)
		}
		select {
		case <-over:
			return l, <-guessed
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func fetch(ctx context.Context, at string) (took time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return time.Since(began), errors.Join(err, resp.Body.Close())
}
