package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// toxic is what a toxiproxy does to one direction of a connection: upstream are
// requests, downstream are answers.
type toxic struct {
	Type       string           `json:"type"`
	Stream     string           `json:"stream"`
	Attributes map[string]int64 `json:"attributes"`
}

// toxics are what is done to one connection, some of it by chance.
type toxics func(*rand.Rand) []toxic

func fixed(all ...toxic) toxics { return func(*rand.Rand) []toxic { return all } }

// The harm that is always the same.
var (
	swallowRequest = toxic{"timeout", "upstream", nil}
	swallowAnswer  = toxic{"timeout", "downstream", nil}
	neverEnd       = toxic{"slow_close", "downstream", map[string]int64{"delay": time.Hour.Milliseconds()}}
	endAtAnswer    = toxic{"limit_data", "downstream", map[string]int64{"bytes": 0}}
	resetAtRequest = toxic{"reset_peer", "upstream", nil}
	resetAtAnswer  = toxic{"reset_peer", "downstream", nil}
	trickle        = toxic{"slicer", "downstream", map[string]int64{"average_size": 1, "delay": time.Second.Microseconds()}}
)

func late(least, most time.Duration) toxics {
	return func(r *rand.Rand) []toxic {
		delay := least + time.Duration(r.Int64N(int64(most-least)))
		return []toxic{{"latency", "downstream", map[string]int64{"latency": delay.Milliseconds()}}}
	}
}

// cutHeader lets some bytes of the answer's header through; it has over 100.
func cutHeader(r *rand.Rand) []toxic {
	return []toxic{{"limit_data", "downstream", map[string]int64{"bytes": 1 + r.Int64N(80)}}}
}

// proxies lays toxiproxies in front of the service.
type proxies struct {
	service string // host:port
	server  *toxiproxy.ApiServer
	count   atomic.Int64
}

func newProxies(serviceURL string) *proxies {
	return &proxies{
		service: strings.TrimPrefix(serviceURL, "http://"),
		server:  toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
	}
}

// lay starts one with toxics. It runs until it is stopped, which closes its
// connections too.
func (p *proxies) lay(harm []toxic) (*toxiproxy.Proxy, error) {
	proxy := toxiproxy.NewProxy(p.server, fmt.Sprintf("way-%d", p.count.Add(1)), "127.0.0.1:0", p.service)
	if err := proxy.Start(); err != nil {
		return nil, fmt.Errorf("start proxy: %w", err)
	}
	for _, t := range harm {
		text, err := json.Marshal(t)
		if err == nil {
			_, err = proxy.Toxics.AddToxicJson(bytes.NewReader(text))
		}
		if err != nil {
			proxy.Stop()
			return nil, fmt.Errorf("toxic %s: %w", t.Type, err)
		}
	}
	return proxy, nil
}
