package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/apikeys"
	"veinte/models/database"
	"veinte/models/wiring"
	"veinte/web/lab"
)

// shop is a laboratory with two stores, somebody of every role in each, and programs.
type shop struct {
	*lab.Lab
	at     *lab.Server
	people []*employee
	keys   []*program
	sales  [2][]*lab.Sale
}

// employee is a person of one store; store is -1 for all.
type employee struct {
	*lab.Person
	role  models.Role
	store int
}

// program has a key of one store.
type program struct {
	secret string
	store  int
}

func open(ctx context.Context, setup lab.Setup) (_ *shop, err error) {
	s := &shop{}
	s.Lab, err = lab.Start(ctx, lab.Options{Setup: setup, Stores: 2, Terminals: 4, Managers: 2, Servers: 1})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	s.at = s.Servers[0]
	if err := s.hire(ctx); err != nil {
		return nil, err
	}
	return s, s.trade(ctx)
}

// hire finds somebody for every role, in each store where the role is limited to stores.
func (s *shop) hire(ctx context.Context) error {
	for i, p := range s.Managers {
		s.people = append(s.people, &employee{p, models.Manager, i})
	}
	for _, role := range []models.Role{models.Supervisor, models.Auditor} {
		for i, store := range s.StoreIDs {
			in := accounts.Input{Name: fmt.Sprintf("%s %d", role, i), Role: role, StoreIDs: []int64{store}}
			if err := s.add(ctx, in, i); err != nil {
				return err
			}
		}
	}
	for _, role := range []models.Role{models.Supervisor, models.Administrator} {
		if err := s.add(ctx, accounts.Input{Name: string(role), Role: role, AllStores: true}, -1); err != nil {
			return err
		}
	}
	db, err := database.Open(ctx, database.DBConfig{URL: s.DatabaseURL(), Application: "veinte attack"})
	if err != nil {
		return err
	}
	defer db.Close()
	for i, store := range s.StoreIDs {
		_, secret, err := wiring.Over(db).APIKeys.CreateKey(ctx, lab.Administrator, apikeys.Input{
			Name: fmt.Sprintf("Programa %d", i), Scopes: apikeys.Scopes, StoreIDs: []int64{store}, Pace: apikeys.PaceBulk, Days: 30,
		})
		if err != nil {
			return fmt.Errorf("make a key: %w", err)
		}
		s.keys = append(s.keys, &program{secret, i})
	}
	return nil
}

func (s *shop) add(ctx context.Context, in accounts.Input, store int) error {
	if in.Role.Row().MustEnd {
		in.AccessUntil = time.Now().AddDate(0, 1, 0).Format(time.DateOnly)
	}
	p, err := s.Hire(ctx, in)
	if err != nil {
		return err
	}
	s.people = append(s.people, &employee{p, in.Role, store})
	return p.SignIn(ctx, s.at)
}

// trade sells in both stores, and cancels: one sale of each is canceled, one in doubt.
func (s *shop) trade(ctx context.Context) error {
	for i := range 8 {
		sale := lab.Sale{Terminal: i % s.Terminals(), OrderID: fmt.Sprintf("pedido-%d%d", s.StoreOf(i), 100+i)}
		if i/2 == 1 {
			sale.Fault = "dropAfterReading"
		}
		sold, err := s.Sell(ctx, sale)
		if err != nil {
			return err
		}
		of := s.StoreOf(i)
		s.sales[of] = append(s.sales[of], sold)
		if i < 4 {
			if a := s.Managers[of].Click(ctx, s.at, sold.ID, "click-"+strconv.Itoa(i), true); !a.OK() {
				return a.Problem()
			}
		}
	}
	return s.Resolved(ctx, time.Minute)
}

// foreign are the words that stand only in what belongs to other stores than this one.
func (s *shop) foreign(store int) (words []string) {
	if store < 0 {
		return nil
	}
	other := 1 - store
	words = append(words, fmt.Sprintf("Roma %d", other), fmt.Sprintf("Encargado %d", other))
	for i := range s.Terminals() {
		if s.StoreOf(i) == other {
			words = append(words, s.Serial(i))
		}
	}
	for _, sale := range s.sales[other] {
		words = append(words, sale.OrderID)
	}
	return words
}

// crawl goes through the shop as everybody, and then asks, as everybody, for what all of
// them found.
func (s *shop) crawl(ctx context.Context) error {
	visitors := s.visitors(ctx)
	each := make([]found, len(visitors))
	for i, v := range visitors {
		each[i] = explore(v)
	}
	all := everything(each)
	s.addKnown(&all)
	var leaks []leak
	for i, v := range visitors {
		asked, got := trespass(v, all, each[i])
		fmt.Printf("crawler: %-24s %4d pages and %3d forms of their own, %4d requests, %d findings\n",
			v.name, len(each[i].pages), len(each[i].forms), asked, len(got))
		leaks = append(leaks, got...)
	}
	done, err := s.trespassed(ctx)
	for _, l := range append(leaks, done...) {
		err = errors.Join(err, errors.New(l.String()))
	}
	return err
}

// addKnown adds what no page links to: the API's addresses of every sale.
func (s *shop) addKnown(all *found) {
	for i := range s.sales {
		for _, sale := range s.sales[i] {
			api := "/api/v1/sales/" + sale.OrderID
			all.pages = append(all.pages, api, "/api/v1/sales/id/"+strconv.FormatInt(sale.ID, 10),
				"/api/v1/cancellations/"+strconv.FormatInt(sale.ID, 10), "/api/v1/audit/entries/"+strconv.FormatInt(sale.ID, 10)+"/proof")
			all.forms = append(all.forms, "POST "+api+"/cancellation", "POST "+api+"/correction", "POST "+api+"/undoing")
		}
		store := strconv.FormatInt(s.StoreIDs[i], 10)
		all.pages = append(all.pages, fmt.Sprintf("/api/v1/sales?store=S%d", i), "/sales?store="+store, "/audit?store="+store,
			"/sales.csv?store="+store, "/audit.csv?store="+store, "/audit.jsonl?store="+store, "/oversight?store="+store)
	}
	all.pages = append(all.pages, "/api/v1/sales", "/api/v1/audit", "/sales.csv", "/audit.csv", "/audit.jsonl", "/audit/print", "/results")
}

// visitors are all people, the programs, and a stranger.
func (s *shop) visitors(ctx context.Context) (list []*visitor) {
	for _, p := range s.people {
		v := &visitor{
			name: string(p.role) + " of all", start: []string{"/", p.role.Row().Home, "/sales", "/help"}, foreign: s.foreign(p.store),
			get: func(path string) (int, string) { a := p.Get(ctx, s.at, path); return a.Status, a.Text },
		}
		if p.store >= 0 {
			v.name = fmt.Sprintf("%s of store %d", p.role, p.store)
			v.owns = s.ownedBy(p.store)
			v.post = func(path string) (int, string) {
				a := p.Post(ctx, s.at, path, url.Values{
					"reason": {"customerRequest"}, "click": {"trespass"}, "ticketDate": {s.Today()}, "outcome": {"notCanceled"},
					"note": {"Lo vi en la terminal."}, "amount": {"120.50"},
				})
				return a.Status, a.Text
			}
		}
		list = append(list, v)
	}
	for _, k := range s.keys {
		v := s.request(ctx, k.secret, fmt.Sprintf("program of store %d", k.store))
		v.start, v.foreign = []string{"/api/v1/sales"}, s.foreign(k.store) // used once, a key is not held up with strangers
		others := s.ownedBy(1 - k.store)
		v.owns = func(path string) bool {
			return !strings.HasPrefix(path, "/api/") || !others(strings.TrimPrefix(path, "/api"))
		}
		list = append(list, v)
	}
	stranger := s.request(ctx, "", "a stranger")
	stranger.post = nil // what a stranger may post is the sign-in, which has its own tests
	stranger.foreign = append(s.foreign(0), s.foreign(1)...)
	return append(list, stranger)
}

// ownedBy knows the addresses of a store's own sales, and those that are for programs.
func (s *shop) ownedBy(store int) func(string) bool {
	return func(path string) bool {
		for _, sale := range s.sales[store] {
			if strings.HasPrefix(path, fmt.Sprintf("/sales/%d/", sale.ID)) || strings.Contains(path, "/"+sale.OrderID+"/") {
				return true
			}
		}
		return strings.HasPrefix(path, "/api/")
	}
}

var client = &http.Client{
	Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// request is somebody without a session, with a key or without.
func (s *shop) request(ctx context.Context, secret, name string) *visitor {
	send := func(method, path, body string) (int, string) {
		req, err := http.NewRequestWithContext(ctx, method, s.at.URL+path, strings.NewReader(body))
		if err != nil {
			return 0, ""
		}
		req.Header.Set("Content-Type", "application/json")
		if secret != "" {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, ""
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	return &visitor{
		name: name, start: []string{"/", "/login"},
		get:  func(path string) (int, string) { return send(http.MethodGet, path, "") },
		post: func(path string) (int, string) { return send(http.MethodPost, path, "{}") },
	}
}

// trespassed reads in the trail what somebody did in a store that is not theirs.
func (s *shop) trespassed(ctx context.Context) (leaks []leak, err error) {
	for _, p := range s.people {
		if p.store < 0 {
			continue
		}
		var n int
		err := s.Pool.QueryRow(ctx, `SELECT count(*) FROM audit_entries
			WHERE actor_id = $1 AND actor_role = $2 AND store_id = $3 AND outcome = 'success'`,
			p.UserID, string(p.role), s.StoreIDs[1-p.store]).Scan(&n)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			leaks = append(leaks, leak{p.Name, "the trail", fmt.Sprintf("has %d acts in the other store", n)})
		}
	}
	return leaks, nil
}
