package sandbox

import (
	"testing"
	"time"
)

func TestNewerPushReplacesTheOlder(t *testing.T) {
	t.Parallel()
	b := start(t, noon, func(c *Config) { c.ResultDelay = time.Hour })
	first, second := b.sell(""), b.sell("")
	b.push(cancelPath, first)
	b.control("PUT", "/control/config", `{"resultDelay":"0s"}`, 200)
	b.push(cancelPath, second)
	wantFields(t, b.next(), map[string]any{"orderId": second, "responseCode": "00"})
	replaced := b.lines(kindTerminal)[1:]
	if len(replaced) != 1 || replaced[0].Event != "pushReplaced" || replaced[0].OrderID != first {
		t.Errorf("terminal lines = %s", encode(replaced))
	}
	if n := b.state("onScreen"); n != 0.0 {
		t.Errorf("%v pushes on screens, want 0", n)
	}
}

func TestScreenHoldsOnePush(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	dismissed := ""
	older := &push{order: order{SerialNumber: serial, OrderID: "o-1"}, dismiss: func() { dismissed += "older" }}
	newer := &push{order: order{SerialNumber: serial, OrderID: "o-2"}, dismiss: func() { dismissed += "newer" }}
	b.sandbox.putOnScreen(older)
	b.sandbox.putOnScreen(newer)
	if b.sandbox.screens.takeOff(older) || !b.sandbox.screens.takeOff(newer) || b.sandbox.screens.takeOff(newer) {
		t.Error("takeOff takes another push than the one on the screen, or takes it twice")
	}
	if dismissed != "older" {
		t.Errorf("dismissed %q, want older", dismissed)
	}
}

func TestAcknowledgedWithoutResult(t *testing.T) {
	t.Parallel()
	b := start(t, noon, func(c *Config) { c.ResultDelay = time.Hour })
	b.push(cancelPath, b.sell(`,"fault":"ackNoResult"`))
	if n := b.state("onScreen"); n != 0.0 {
		t.Errorf("%v pushes on screens, want none to come", n)
	}
	b.push(cancelPath, b.sell(""))
	if n := b.state("onScreen"); n != 1.0 {
		t.Errorf("%v pushes on screens, want 1", n)
	}
}

func TestResultBeforeAnswer(t *testing.T) {
	t.Parallel()
	b := start(t, noon, func(c *Config) { c.ResultDelay = time.Hour })
	order := b.sell(`,"fault":"resultBeforeAnswer"`)
	b.push(cancelPath, order)
	wantFields(t, b.next(), map[string]any{"orderId": order, "responseCode": "00"})
	post, answer := b.lines(kindPost)[0], b.lines(kindAnswer)[0]
	if post.Seq > answer.Seq || post.Of != answer.Of {
		t.Errorf("post is line %d of %d, the answer line %d of %d", post.Seq, post.Of, answer.Seq, answer.Of)
	}
}

// TestSpoiledAnswers covers both outcomes of a broken response: the sale was
// canceled, or it was not.
func TestSpoiledAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule string
		acts       bool
	}{
		{"drop after reading acts", `{"fault":"dropAfterReading"}`, true},
		{"reset does not", `{"fault":"reset"}`, false},
		{"reset that acts", `{"fault":"reset","acts":true}`, true},
		{"drop that does not act", `{"fault":"dropAfterReading","acts":false}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := start(t, noon, func(c *Config) { c.ResultDelay = time.Hour })
			b.control("POST", "/control/faults", tt.rule, 200)
			if got, _ := b.raw(b.sell("")); got != "" {
				t.Errorf("answered %q, want nothing", got)
			}
			if n := b.state("onScreen"); (n == 1.0) != tt.acts {
				t.Errorf("%v pushes on screens, want acts=%v", n, tt.acts)
			}
		})
	}
}

func TestTerminalRetries(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.control("PUT", "/control/config", `{"retryEvery":"5ms","retryMax":3}`, 200)
	order := b.sell("")
	b.refusals = 2
	b.push(cancelPath, order)
	for range 3 {
		wantFields(t, b.next(), map[string]any{"orderId": order, "transType": "V"})
	}
	eventually(t, "three posts are in the ledger", func() bool { return len(b.lines(kindPost)) == 3 })
	posts := b.lines(kindPost)
	if posts[0].Error == "" || posts[1].Error == "" || posts[2].Error != "" || posts[2].Attempt != 3 || posts[2].Status != 200 {
		t.Errorf("posts = %s", encode(posts))
	}
}

func TestTerminalGivesUp(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.control("PUT", "/control/config", `{"retryEvery":"1ms","retryMax":4}`, 200)
	b.refusals = 1000
	d := delivery{event: "cancel", order: "o-1", body: []byte(`{}`)}
	if b.sandbox.deliver(d) {
		t.Error("deliver reports success")
	}
	if got := len(b.lines(kindPost)); got != 4 {
		t.Errorf("%d posts, want 4", got)
	}
}
