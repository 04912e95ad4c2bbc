package sandbox

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Retries of a terminal whose post did not succeed.
const (
	defaultRetryEvery = 2 * time.Second
	defaultRetryMax   = 30 // tries in total
)

// settingValues are the settings that control can change at run time.
type settingValues struct {
	responseURL string
	latency     time.Duration
	resultDelay time.Duration
	retryEvery  time.Duration
	retryMax    int
}

type settings struct {
	mu     sync.Mutex
	values settingValues
}

func newSettings(c Config) *settings {
	return &settings{values: settingValues{
		responseURL: c.ResponseURL, latency: c.Latency, resultDelay: c.ResultDelay,
		retryEvery: defaultRetryEvery, retryMax: defaultRetryMax,
	}}
}

func (s *settings) get() settingValues {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values
}

func (s *settings) change(change func(*settingValues)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.values)
}

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
