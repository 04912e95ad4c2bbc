package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/localpg"
	"veinte/models/secretbox"
	"veinte/models/terminals"
	"veinte/models/webhooks"
	"veinte/models/wiring"
)

// BenchmarkDoorWhileForwarding measures how long a terminal waits for its response
// while its posts are forwarded to two endpoints that accept, fail, or never
// respond: 200 posts a second of 200 terminals, a server process, PostgreSQL with
// fsync on. Run it with -benchtime 2000x: ten seconds each.
func BenchmarkDoorWhileForwarding(b *testing.B) {
	for _, mode := range []string{"none", "ok", "fail", "stall"} {
		b.Run(mode, func(b *testing.B) { benchmarkDoor(b, mode) })
	}
}

const (
	benchTerminals = 200
	postsASecond   = 200
)

func benchmarkDoor(b *testing.B, mode string) {
	to := newMerchant(b)
	server := start(b, []string{
		"DATABASE_URL=" + benchDatabase(b, to, mode), "CANCEL_BASE_URL=http://127.0.0.1:9", "ACCESS_TOKEN=token", "ADMIN_ADDR=", relayKey,
		"RESULTS_SECRET=results-secret-0123456789", "RESULTS_PACE=1000000", "DELIVERY_ALLOW_PRIVATE=true", "LOG_LEVEL=error",
	}, "/readyz", "serve", "--addr", "ADDR")
	if mode != "none" {
		to.mode(mode)
	}
	latencies := make([]time.Duration, b.N)
	var all sync.WaitGroup
	b.ResetTimer()
	tick := time.NewTicker(time.Second / postsASecond)
	defer tick.Stop()
	for i := range b.N {
		<-tick.C
		all.Go(func() { latencies[i] = benchPost(b, server.url, i) })
	}
	all.Wait()
	b.StopTimer()
	slices.Sort(latencies)
	for name, at := range map[string]int{"p50-ms": b.N / 2, "p99-ms": b.N * 99 / 100, "max-ms": b.N - 1} {
		b.ReportMetric(float64(latencies[at].Microseconds())/1000, name)
	}
	b.ReportMetric(float64(len(to.received("/"))), "heard")
	server.end(syscall.SIGTERM)
	used := server.cmd.ProcessState.UserTime() + server.cmd.ProcessState.SystemTime()
	b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "server-cpu-ms/op")
}

// benchPost posts a sale of two kilobytes as a terminal and returns how long the
// response took.
func benchPost(b *testing.B, server string, i int) time.Duration {
	terminal := i % benchTerminals
	body := fmt.Sprintf(`{"transType":"A","responseCode":"00","terminalId":"25%08d","storeId":"M%d","amount":"12.50",`+
		`"orderId":"b-%d","cardNumber":"411111******1111","filler":%q}`,
		terminal, terminal, i, strings.Repeat("x", 1800))
	began := time.Now()
	resp, err := http.Post(server+resultsPath, "application/json", strings.NewReader(body))
	if err != nil {
		b.Errorf("post %d: %v", i, err)
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		b.Errorf("post %d: %s", i, resp.Status)
	}
	return time.Since(began)
}

// benchDatabase starts a PostgreSQL that syncs, with a store, its terminals and,
// unless the mode is none, two endpoints.
func benchDatabase(b *testing.B, to *merchant, mode string) string {
	b.Helper()
	ctx := context.Background()
	dir, err := os.MkdirTemp("/var/tmp", "veinte-door-")
	must(b, err)
	must(b, os.Chmod(dir, 0o711)) // PostgreSQL runs as another user when we are root
	pg, err := localpg.Start(ctx, localpg.Options{Dir: filepath.Join(dir, "postgres")})
	must(b, err)
	b.Cleanup(func() {
		_ = pg.Stop(context.Background())
		_ = os.RemoveAll(dir)
	})
	must(b, prepareDatabase(ctx, pg, 0))
	url := pg.DSN("veinte", "veinte_app")
	db, err := database.Open(ctx, database.DBConfig{URL: url, Application: "benchmark"})
	must(b, err)
	defer db.Close()
	admin := models.Actor{UserID: 1, Name: "Diego", Role: models.Administrator, AllStores: true}
	store, err := wiring.Over(db).Terminals.CreateStore(ctx, admin,
		terminals.StoreInput{Code: "A", Name: "Roma", TimeZone: "America/Mexico_City"})
	must(b, err)
	services := wiring.New(wiring.Config{DB: db, Clock: models.ShiftedClock(0), Window: window(b)})
	for i := range benchTerminals {
		_, err := services.Terminals.CreateTerminal(ctx, admin, terminals.Input{
			SerialNumber: fmt.Sprintf("25%08d", i), Label: "Caja", MerchantID: fmt.Sprintf("M%d", i), StoreID: store.ID,
		})
		must(b, err)
	}
	sealer, err := secretbox.New(strings.TrimPrefix(relayKey, "RELAY_KEY="))
	must(b, err)
	deliveries := webhooks.New(webhooks.Config{DB: db, Clock: models.ShiftedClock(0), Box: sealer, AllowPrivate: true})
	for _, name := range []string{"uno", "dos"} {
		if mode == "none" {
			break
		}
		_, _, err := deliveries.CreateEndpoint(ctx, admin, webhooks.Input{Kind: webhooks.RelayEndpoint, Name: name, URL: to.url + "/" + name})
		must(b, err)
	}
	return url
}
