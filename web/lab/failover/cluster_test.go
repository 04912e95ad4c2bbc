package failover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"veinte/models/localpg"
	"veinte/web/lab"
)

// cluster is three PostgreSQL under Patroni, with all that stands before them.
type cluster struct {
	dir       string
	as        *syscall.Credential // PostgreSQL and PgBouncer refuse to be root
	etcd      string              // addresses
	primary   string              // where HAProxy leads to the leader
	pooler    string
	nodes     []*node
	processes []*lab.Process // all
	guard     *exec.Cmd      // ends PostgreSQL, should this program be killed
	guarded   io.Closer
	doors     *toxiproxy.ApiServer
}

// node is one PostgreSQL with its Patroni. The doors are where others reach it, and it
// reaches etcd: a closed one keeps connections open and passes nothing on.
type node struct {
	name     string
	address  string // in the samples
	dir      string
	db, rest string // its own addresses
	process  *lab.Process

	toEtcd, forStandbys, forRest, forClients *toxiproxy.Proxy
}

// passwords of the drill's roles, by their words in the samples.
var passwords = map[string]string{
	"SUPERUSER_PASSWORD": "super-drill", "REPLICATOR_PASSWORD": "replicator-drill", "REWINDER_PASSWORD": "rewinder-drill",
	"SERVER_PASSWORD": "server-drill",
}

// start runs the samples. Synchronous is whether each commit waits for a standby. A program
// that ends at once has lost its port to another one: all is begun again.
func start(ctx context.Context, synchronous bool) (c *cluster, err error) {
	for range 3 {
		if c, err = tryStart(ctx, synchronous); !errors.Is(err, lab.ErrEnded) {
			break
		}
	}
	return c, err
}

func tryStart(ctx context.Context, synchronous bool) (_ *cluster, err error) {
	c := &cluster{doors: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if err := c.prepare(); err != nil {
		return nil, err
	}
	bin, err := localpg.FindBinaries()
	if err != nil {
		return nil, err
	}
	if err := c.startEtcd(); err != nil {
		return nil, err
	}
	var words []string // of the samples, and what stands in their place here
	for i := range 3 {
		n, err := c.newNode(i)
		if err != nil {
			return nil, err
		}
		words = append(words, "addr "+n.address+" port 8008", checked(n.forRest.Listen), n.address+":5432", n.forClients.Listen)
	}
	for _, n := range c.nodes {
		if err := c.runPatroni(n, bin.Dir, synchronous); err != nil {
			return nil, err
		}
	}
	if err := c.runHAProxy(words); err != nil {
		return nil, err
	}
	if c.pooler, err = c.runPgBouncer("pgbouncer", ""); err != nil {
		return nil, err
	}
	return c, c.ready(ctx)
}

// checked is how HAProxy is told whom to ask.
func checked(address string) string {
	host, port, _ := net.SplitHostPort(address)
	return "addr " + host + " port " + port
}

// prepare makes the folder, the certificates, and what ends PostgreSQL with this program:
// Patroni's PostgreSQL is nobody's child.
func (c *cluster) prepare() (err error) {
	if c.dir, err = os.MkdirTemp("", "veinte-failover-"); err != nil {
		return err
	}
	if err := os.Chmod(c.dir, 0o711); err != nil {
		return err
	}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return err
		}
		c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	c.guard = exec.Command("sh", "-c", `read -r _; for f in "$1"/db*/data/postmaster.pid; do
		pid=$(head -1 "$f") && grep -qF "$1" "/proc/$pid/cmdline" && kill -9 "$pid"
	done; rm -rf "$1"`, "sh", c.dir)
	c.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := c.guard.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.guard.Start(); err != nil {
		return err
	}
	c.guarded = stdin
	return makeCertificates(c.dir, c.own)
}

// own makes a file one of PostgreSQL's user.
func (c *cluster) own(file string) error {
	if c.as == nil {
		return nil
	}
	return os.Chown(file, int(c.as.Uid), int(c.as.Gid))
}

// run starts a program that logs into a file.
func (c *cluster) run(name, ready string, args ...string) (*lab.Process, error) {
	bin, err := exec.LookPath(name)
	if err != nil {
		bin = "/usr/sbin/" + name // which is not in everybody's PATH
	}
	p, err := lab.NewProcess(bin, filepath.Join(c.dir, filepath.Base(args[len(args)-1])+".log"), ready, nil, args...)
	if err != nil {
		return nil, err
	}
	p.As(c.as)
	c.processes = append(c.processes, p)
	return p, p.Start(context.Background())
}

func (c *cluster) startEtcd() error {
	peer, err := lab.FreeAddr()
	if err != nil {
		return err
	}
	if c.etcd, err = lab.FreeAddr(); err != nil {
		return err
	}
	data := filepath.Join(c.dir, "etcd")
	if err := errors.Join(os.Mkdir(data, 0o700), c.own(data)); err != nil {
		return err
	}
	_, err = c.run("etcd", "", "--listen-client-urls", "http://"+c.etcd, "--advertise-client-urls", "http://"+c.etcd,
		"--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls", "http://"+peer,
		"--initial-cluster", "default=http://"+peer, "--unsafe-no-fsync", "--data-dir", data)
	return err
}

// newNode makes the doors of a node.
func (c *cluster) newNode(i int) (n *node, err error) {
	n = &node{name: fmt.Sprintf("db%d", i+1), address: fmt.Sprintf("10.0.0.%d", 11+i)}
	n.dir = filepath.Join(c.dir, n.name)
	if err := errors.Join(os.Mkdir(n.dir, 0o700), c.own(n.dir)); err != nil {
		return nil, err
	}
	if n.db, err = lab.FreeAddr(); err != nil {
		return nil, err
	}
	if n.rest, err = lab.FreeAddr(); err != nil {
		return nil, err
	}
	for _, d := range []struct {
		door **toxiproxy.Proxy
		to   string
	}{{&n.toEtcd, c.etcd}, {&n.forStandbys, n.db}, {&n.forRest, n.rest}, {&n.forClients, n.db}} {
		*d.door = toxiproxy.NewProxy(c.doors, fmt.Sprintf("%s-%p", n.name, d.door), "127.0.0.1:0", d.to)
		if err := (*d.door).Start(); err != nil {
			return nil, err
		}
	}
	c.nodes = append(c.nodes, n)
	return n, nil
}

// sample writes a file of web/deploy/ha with other addresses, folders and passwords.
func (c *cluster) sample(name, as string, words ...string) (string, error) {
	text, err := os.ReadFile(filepath.Join("../../deploy/ha", name))
	if err != nil {
		return "", err
	}
	for word, password := range passwords {
		words = append(words, word, password)
	}
	changed := string(text)
	for i := 0; i < len(words); i += 2 {
		if !strings.Contains(changed, words[i]) && !strings.HasSuffix(words[i], "PASSWORD") {
			return "", fmt.Errorf("%s has no %q", name, words[i])
		}
		changed = strings.ReplaceAll(changed, words[i], words[i+1])
	}
	file := filepath.Join(c.dir, as)
	return file, errors.Join(os.WriteFile(file, []byte(changed), 0o600), c.own(file))
}

func (c *cluster) runPatroni(n *node, bin string, synchronous bool) error {
	words := []string{
		"name: db1", "name: " + n.name,
		// One etcd is enough here, which each node reaches by a door of its own.
		"hosts: 10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379", "hosts: " + n.toEtcd.Listen + "\n  use_proxies: true",
		"restapi:\n  listen: 10.0.0.11:8008", "restapi:\n  listen: " + n.rest,
		"connect_address: 10.0.0.11:8008", "connect_address: " + n.forRest.Listen,
		"postgresql:\n  listen: 10.0.0.11:5432", "postgresql:\n  listen: " + n.db,
		"connect_address: 10.0.0.11:5432", "connect_address: " + n.forStandbys.Listen,
		"/var/lib/postgresql/15/veinte", n.dir + "/data", "/usr/lib/postgresql/15/bin", bin,
		"/var/lib/postgresql/veinte.pgpass", n.dir + "/pgpass", "/var/run/postgresql", n.dir,
		"/etc/veinte-db", c.dir, "10.0.0.0/24", "127.0.0.1/32",
	}
	if !synchronous {
		words = append(words, "synchronous_mode: true", "synchronous_mode: false",
			"synchronous_mode_strict: true", "synchronous_mode_strict: false")
	}
	file, err := c.sample("patroni.yml", n.name+".yml", words...)
	if err != nil {
		return err
	}
	n.process, err = c.run("patroni", "", file)
	return err
}

func (c *cluster) runHAProxy(words []string) (err error) {
	if c.primary, err = lab.FreeAddr(); err != nil {
		return err
	}
	// First, or it would be taken for an address of a node.
	file, err := c.sample("haproxy.cfg", "haproxy.cfg", append([]string{"bind 127.0.0.1:5432", "bind " + c.primary}, words...)...)
	if err != nil {
		return err
	}
	_, err = c.run("haproxy", "", "-db", "-f", file)
	return err
}

// runPgBouncer returns where it listens; of its settings more may be said.
func (c *cluster) runPgBouncer(name, more string) (address string, err error) {
	if address, err = lab.FreeAddr(); err != nil {
		return "", err
	}
	users := filepath.Join(c.dir, "userlist.txt")
	text := fmt.Sprintf("%q %q\n", "veinte_app", passwords["SERVER_PASSWORD"])
	if err := errors.Join(os.WriteFile(users, []byte(text), 0o600), c.own(users)); err != nil {
		return "", err
	}
	host, port, _ := net.SplitHostPort(c.primary)
	_, at, _ := net.SplitHostPort(address)
	file, err := c.sample("pgbouncer.ini", name+".ini",
		"host=database.internal port=5432", "host="+host+" port="+port, "listen_port = 6432", "listen_port = "+at+"\nunix_socket_dir =\n"+more,
		"/etc/pgbouncer/userlist.txt", users, "/etc/veinte/database-ca.crt", c.file("ca.crt"))
	if err != nil {
		return "", err
	}
	_, err = c.run("pgbouncer", "", file)
	return address, err
}

func (c *cluster) file(name string) string { return filepath.Join(c.dir, name) }

// url is an address of a database of the leader.
func (c *cluster) url(at, role, password, database string) string {
	return fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=verify-full&sslrootcert=%s&connect_timeout=5",
		role, passwords[password], at, database, c.file("ca.crt"))
}

// app is where servers connect, and owner where the laboratory does.
func (c *cluster) app() string { return c.url(c.primary, "veinte_app", "SERVER_PASSWORD", "veinte") }

func (c *cluster) owner() string { return c.url(c.primary, "postgres", "SUPERUSER_PASSWORD", "veinte") }

// pages is the address through PgBouncer, on this machine.
func (c *cluster) pages() string { return c.through(c.pooler) }

func (c *cluster) through(pooler string) string {
	return fmt.Sprintf("postgres://veinte_app:%s@%s/veinte?sslmode=disable", passwords["SERVER_PASSWORD"], pooler)
}

// ready waits until the cluster is whole, and makes the role and the database.
func (c *cluster) ready(ctx context.Context) error {
	whole, found := context.WithCancelCause(ctx)
	defer found(nil)
	for _, p := range c.processes {
		go func() {
			select {
			case <-p.Dead():
				found(lab.ErrEnded)
			case <-whole.Done():
			}
		}()
	}
	if err := c.whole(whole); err != nil {
		return errors.Join(err, context.Cause(whole))
	}
	for _, s := range []string{
		"CREATE ROLE veinte_app LOGIN PASSWORD '" + passwords["SERVER_PASSWORD"] + "'", "CREATE DATABASE veinte",
	} {
		if err := c.exec(ctx, c.primary, s); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement as the superuser.
func (c *cluster) exec(ctx context.Context, at, statement string) error {
	conn, err := pgx.Connect(ctx, c.url(at, "postgres", "SUPERUSER_PASSWORD", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// member is a node as Patroni shows it.
type member struct {
	Name, Role, State string
	Timeline          int
}

// members asks a node for all.
func (c *cluster) members(ctx context.Context, n *node) ([]member, error) {
	var all struct{ Members []member }
	return all.Members, rest(ctx, n, http.MethodGet, "/cluster", "", &all)
}

// rest asks a node's Patroni at its own address.
func rest(ctx context.Context, n *node, method, path, body string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+n.rest+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s%s: %s", n.name, path, resp.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// leader waits for a leader that is none of those.
func (c *cluster) leader(ctx context.Context, none ...*node) (found *node, err error) {
	err = lab.Eventually(ctx, 3*time.Minute, "there is a leader", func(ctx context.Context) (bool, error) {
		var last error
		for _, n := range c.nodes {
			if slices.Contains(none, n) {
				continue
			}
			if last = rest(ctx, n, http.MethodGet, "/primary", "", nil); last == nil {
				found = n
				return true, nil
			}
		}
		return false, last
	})
	return found, err
}

// whole waits until one leads, and the others follow on its timeline, one of them
// synchronously where that is wanted.
func (c *cluster) whole(ctx context.Context) error {
	return lab.Eventually(ctx, 4*time.Minute, "the cluster is whole", func(ctx context.Context) (bool, error) {
		lead, err := c.leader(ctx)
		if err != nil {
			return false, err
		}
		members, err := c.members(ctx, lead)
		if err != nil || len(members) != len(c.nodes) {
			return false, errors.Join(err, fmt.Errorf("there are %d members", len(members)))
		}
		for _, m := range members {
			if m.Timeline != members[0].Timeline || m.State != "running" && m.State != "streaming" {
				return false, fmt.Errorf("members are %v", members)
			}
		}
		return c.standbys(ctx, lead)
	})
}

// standbys reports whether both others stream from the leader.
func (c *cluster) standbys(ctx context.Context, lead *node) (both bool, err error) {
	conn, err := pgx.Connect(ctx, c.url(lead.db, "postgres", "SUPERUSER_PASSWORD", "postgres"))
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE state = 'streaming') = 2 AND count(*) FILTER (WHERE sync_state = 'sync') =
		CASE current_setting('synchronous_standby_names') WHEN '' THEN 0 ELSE 1 END FROM pg_stat_replication`).Scan(&both)
	return both, err
}

// postmaster is the process of a node's PostgreSQL; 0: it has none.
func (n *node) postmaster() int {
	text, err := os.ReadFile(filepath.Join(n.dir, "data", "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	// A number may be another process' by now.
	if line, err := os.ReadFile("/proc/" + first + "/cmdline"); err != nil || !strings.Contains(string(line), n.dir) {
		return 0
	}
	pid, _ := strconv.Atoi(first)
	return pid
}

// signal sends one to PostgreSQL's processes of a node.
func (n *node) signal(s syscall.Signal) {
	pid := n.postmaster()
	if pid == 0 {
		return
	}
	children := lab.ChildrenOf(pid)
	for _, p := range append([]int{pid}, children...) {
		_ = syscall.Kill(p, s) // it may have ended meanwhile
	}
}

// kill is kill -9 of Patroni and PostgreSQL.
func (n *node) kill() {
	n.process.Kill()
	n.signal(syscall.SIGKILL)
}

// freeze stops a node where it is, as a virtual machine that is paused; thaw has it go on.
func (n *node) freeze() {
	_ = syscall.Kill(n.process.PID(), syscall.SIGSTOP)
	n.signal(syscall.SIGSTOP)
}

func (n *node) thaw() {
	n.signal(syscall.SIGCONT)
	_ = syscall.Kill(n.process.PID(), syscall.SIGCONT)
}

// shut closes doors: bytes wait until they are opened.
func shut(doors ...*toxiproxy.Proxy) error {
	for _, d := range doors {
		for _, stream := range []string{"upstream", "downstream"} {
			toxic := fmt.Sprintf(`{"type": "timeout", "stream": %q, "attributes": {"timeout": 0}}`, stream)
			if _, err := d.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
				return err
			}
		}
	}
	return nil
}

func open(ctx context.Context, doors ...*toxiproxy.Proxy) {
	for _, d := range doors {
		d.Toxics.ResetToxics(ctx)
	}
}

// close ends everything and removes the folder.
func (c *cluster) close() error {
	for _, n := range c.nodes {
		if n.process != nil {
			n.thaw()
		}
	}
	for _, p := range c.processes {
		p.Kill()
	}
	for _, n := range c.nodes {
		n.signal(syscall.SIGKILL)
		for _, d := range []*toxiproxy.Proxy{n.toEtcd, n.forStandbys, n.forRest, n.forClients} {
			if d != nil {
				d.Stop()
			}
		}
	}
	if c.guarded == nil {
		return nil
	}
	return errors.Join(c.guarded.Close(), c.guard.Wait())
}
