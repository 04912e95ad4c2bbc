package sandbox

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// settingValues are the settings that control can change at run time.
type settingValues struct {
	responseURL   string
	latency       time.Duration
	resultDelay   time.Duration
	retryEvery    time.Duration // of a terminal whose post did not succeed
	retryMax      int           // tries in total
	tokenLifetime time.Duration // of tokens issued from now on
}

// defaultTokenLifetime is the documented expires_in.
const defaultTokenLifetime = 43199 * time.Second

func startSettings(c Config) settingValues {
	return settingValues{
		responseURL: c.ResponseURL, latency: c.Latency, resultDelay: c.ResultDelay,
		retryEvery: 2 * time.Second, retryMax: 30, tokenLifetime: defaultTokenLifetime,
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

func (d *duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("duration: %w", err)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if parsed < 0 {
		return fmt.Errorf("duration %s is negative", text)
	}
	*d = duration(parsed)
	return nil
}

func (d duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}
