// The command attack attacks a shop of the laboratory over HTTP: a crawler goes through
// it as every role, and asks for what is another store's; sqlmap tries its filters and its
// API. In other runs it floods the sign-in, or sends heads of two meanings through
// proxies. What looks for something has to find what is there on purpose first. It runs
// against a server of its own on this machine, and nothing else.
//
//	go run ./attack -bin ../../bin/veinte
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"veinte/web/lab"
)

func main() {
	bin := flag.String("bin", "", "the product's program")
	flood := flag.Bool("flood", false, "measure pages, clicks and a known device's sign-ins under 5,000 wrong ones, instead")
	own := flag.Bool("apart", false, "the strangers of the flood have a core for themselves")
	proxies := flag.Bool("proxies", false, "send heads of two meanings through nginx and HAProxy, instead")
	sql := flag.Bool("sql", false, "have sqlmap alone try the targets that are named as arguments, or all, instead")
	at := flag.String("guess", "", "for itself: the server that strangers sign in to")
	alone := flag.Bool("bare", false, "for itself: be a server that does nothing, to compare with")
	flag.Parse()
	try := attack
	if *alone {
		try = func(context.Context, string) error { return bare() }
	}
	if *proxies {
		try = over((*shop).proxies)
	}
	if *sql {
		try = over((*shop).inject)
	}
	if *at != "" {
		try = func(ctx context.Context, _ string) error { return guess(ctx, *at) }
	}
	if *flood {
		if *own {
			apart()
		}
		try = over((*shop).flood)
	}
	if err := try(context.Background(), *bin); err != nil {
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

func attack(ctx context.Context, bin string) error {
	if err := crawlCanary(); err != nil {
		return err
	}
	fmt.Println("crawler: canary found")
	s, err := open(ctx, lab.Setup{Bin: bin, Seed: 1})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.crawl(ctx); err != nil {
		return err
	}
	return s.inject(ctx)
}

// over runs one of the others in a shop of its own.
func over(f func(*shop, context.Context) error) func(context.Context, string) error {
	return func(ctx context.Context, bin string) error {
		s, err := open(ctx, lab.Setup{Bin: bin, Seed: 1})
		if err != nil {
			return err
		}
		defer s.Close()
		return f(s, ctx)
	}
}
