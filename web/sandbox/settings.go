package sandbox

import (
	"fmt"
	"sync"
	"time"
)

// settingValues are the settings that control can change at run time.
type settingValues struct {
	ResponseURL   string   `json:"responseURL"`
	Latency       duration `json:"latency"`
	ResultDelay   duration `json:"resultDelay"`
	RetryEvery    duration `json:"retryEvery"`    // of a terminal whose post did not succeed
	RetryMax      int      `json:"retryMax"`      // tries in total
	TokenLifetime duration `json:"tokenLifetime"` // of tokens issued from now on
}

// defaultTokenLifetime is the documented expires_in.
const defaultTokenLifetime = duration(43199 * time.Second)

func startSettings(c Config) settingValues {
	return settingValues{
		ResponseURL: c.ResponseURL, Latency: duration(c.Latency), ResultDelay: duration(c.ResultDelay),
		RetryEvery: duration(2 * time.Second), RetryMax: 30, TokenLifetime: defaultTokenLifetime,
	}
}

// guarded is a value that goroutines share.
type guarded[T any] struct {
	mu    sync.Mutex
	value T
}

func (g *guarded[T]) get() T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.value
}

func (g *guarded[T]) change(change func(*T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.value)
}

func (g *guarded[T]) set(value T) { g.change(func(v *T) { *v = value }) }

// duration is written in JSON as Go writes it: "1.5s".
type duration time.Duration

// UnmarshalText reads a duration, and refuses a negative one.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err == nil && parsed < 0 {
		err = fmt.Errorf("duration %s is negative", text)
	}
	*d = duration(parsed)
	return err
}

// MarshalText writes a duration.
func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }
