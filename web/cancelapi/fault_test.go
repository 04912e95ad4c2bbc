package cancelapi

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

// TestFaultsAfterWriting: the whole request was read, so everything except a whole
// response is unknown, and nothing is sent again.
func TestFaultsAfterWriting(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	const short = 150 * time.Millisecond
	const patient = 10 * time.Second
	tests := []struct {
		fact    string
		timeout time.Duration
		answer  func(net.Conn, *http.Request)
		detail  models.Detail
	}{
		{"no answer", short, func(c net.Conn, _ *http.Request) { untilClosed(c) }, models.DetailTimeout},
		{"the answer comes when nobody waits any more", short, late200, models.DetailTimeout},
		{"one byte at a time is not an answer in time", short, trickle, models.DetailTimeout},
		{"a header that stops", short, stall(head), models.DetailTimeout},
		{"a body that stops", short, stall(head + "Content-Length: 60\r\n\r\n" + ackOK), models.DetailTimeout},
		{"a chunk that stops", short, stall(head + "Transfer-Encoding: chunked\r\n\r\n36\r\n" + ackOK), models.DetailTimeout},
		{"closed", patient, says(""), models.DetailConnectionLost},
		{"reset", patient, func(c net.Conn, _ *http.Request) { reset(c) }, models.DetailConnectionLost},
		{"the first line is cut", patient, says("HTTP/1.1 2"), models.DetailTruncatedReply},
		{"the header is cut", patient, says(head), models.DetailTruncatedReply},
		{"the body is cut at its length", patient, says(head + "Content-Length: 60\r\n\r\n" + ackOK), models.DetailTruncatedReply},
		{
			"the last chunk is missing", patient, says(head + "Transfer-Encoding: chunked\r\n\r\n36\r\n" + ackOK + "\r\n"),
			models.DetailTruncatedReply,
		},
		{"a chunk is cut", patient, says(head + "Transfer-Encoding: chunked\r\n\r\n40\r\n" + ackOK), models.DetailTruncatedReply},
		{"64 KB and one byte", patient, says(whole(200, ackOK+strings.Repeat(" ", maxAnswer+1-len(ackOK)))), models.DetailTooLarge},
		{"a body without end", patient, endless(head+"\r\n", "aaaa"), models.DetailTooLarge},
		{"a header without end", patient, endless(head, "X-A: aaaaaaaaaaaa\r\n"), models.DetailTooLarge},
		{"informational answers without end", patient, endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"), models.DetailTooLarge},
		{"not HTTP", patient, says("SSH-2.0-OpenSSH_9.6\r\n\r\n"), models.DetailNotJSON},
		{"two lengths", patient, says(head + "Content-Length: 5\r\nContent-Length: 54\r\n\r\n" + ackOK), models.DetailNotJSON},
		{"a chunk size that is no number", patient, says(head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n" + ackOK), models.DetailNotJSON},
		{
			"another protocol", patient, stall("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + ackOK),
			models.DetailServerError,
		},
		{
			"compressed although not asked for", patient, says(head + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"),
			models.DetailNotJSON,
		},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.answer)
			got := newClient(t, s.url, timeout(tt.timeout)).Cancel(t.Context(), anOrder())
			wantReply(t, got, models.MeaningUnknown, tt.detail)
			if n := s.requests.Load(); n != 1 {
				t.Errorf("%d requests, want exactly 1", n)
			}
		})
	}
}

func late200(conn net.Conn, _ *http.Request) {
	untilClosed(conn)
	_, _ = io.WriteString(conn, whole(200, ackOK))
}

func trickle(conn net.Conn, _ *http.Request) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, b := range []byte(whole(200, ackOK)) {
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		<-tick.C
	}
}

func stall(raw string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		_, _ = io.WriteString(conn, raw)
		untilClosed(conn)
	}
}

func endless(start, more string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) {
		_, err := io.WriteString(conn, start)
		for err == nil {
			_, err = io.WriteString(conn, strings.Repeat(more, 100))
		}
	}
}

func TestWholeAnswersInOddForms(t *testing.T) {
	t.Parallel()
	tests := []struct{ fact, raw string }{
		{"exactly 64 KB", whole(200, ackOK+strings.Repeat(" ", maxAnswer-len(ackOK)))},
		{"after 100 and 103", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + whole(200, ackOK)},
		{"chunked", fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(ackOK), ackOK)},
		{"ended by closing", "HTTP/1.0 200 OK\r\n\r\n" + ackOK},
		{"called HTML", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + ackOK},
		{"offering to keep the connection", "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 54\r\n\r\n" + ackOK},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := serve(t, says(tt.raw))
			got := newClient(t, s.url).Cancel(t.Context(), anOrder())
			wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			target := serve(t, says(whole(200, ackOK)))
			s := serve(t, says(fmt.Sprintf("HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", status, target.url)))
			got := newClient(t, s.url).Cancel(t.Context(), anOrder())
			wantReply(t, got, models.MeaningUnknown, models.DetailRedirect)
			if n := target.requests.Load(); n != 0 {
				t.Errorf("the target was called %d times", n)
			}
		})
	}
}

func TestStoppedByTheCallerWhileWaiting(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	s := serve(t, func(conn net.Conn, _ *http.Request) {
		stop()
		untilClosed(conn)
	})
	got := newClient(t, s.url).Cancel(ctx, anOrder())
	wantReply(t, got, models.MeaningUnknown, models.DetailInterrupted)
}

// A reset may overtake the bytes before it, so either detail is possible. What
// matters is that half a response is not accepted.
func TestResetInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, func(conn net.Conn, _ *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n"+ackOK)
		reset(conn)
	})
	got := newClient(t, s.url).Cancel(t.Context(), anOrder())
	if got.Detail != models.DetailConnectionLost {
		wantReply(t, got, models.MeaningUnknown, models.DetailTruncatedReply)
	}
}

// A service that accepts and closes at once may or may not have read bytes. The
// reply must match the wire's record in either case.
func TestClosedBeforeTheRequest(t *testing.T) {
	t.Parallel()
	client := newClient(t, "http://"+listen(t, func(net.Conn) {}))
	for range 50 {
		got := client.Cancel(t.Context(), anOrder())
		if got.FirstByteAt.IsZero() {
			wantReply(t, got, models.MeaningNotSent, models.DetailDialFailed)
		} else {
			wantReply(t, got, models.MeaningUnknown, models.DetailConnectionLost)
		}
	}
}
