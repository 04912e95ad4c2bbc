package sandbox

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOwnResponseURL: a terminal with an address of its own posts there, and the
// others where all do.
func TestOwnResponseURL(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	paths := make(chan string, 10)
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		_, _ = w.Write([]byte(`{"code":"00","message":"Recibido"}`))
	}))
	t.Cleanup(own.Close)
	const second = "1490000002"
	b.control("PUT", "/control/terminals/"+second, `{"merchantId":"900002","responseURL":"http://192.0.2.1/x"}`, 400)
	b.control("PUT", "/control/terminals/"+second, `{"merchantId":"900002","responseURL":"`+own.URL+`/results/1490000002/token"}`, 200)
	b.control("POST", "/control/sales", `{"serialNumber":"`+second+`","amount":"10.00"}`, 200)
	if got := <-paths; got != "/results/1490000002/token" {
		t.Errorf("the terminal posted at %s", got)
	}
	b.control("POST", "/control/sales", `{"serialNumber":"`+serial+`","amount":"20.00"}`, 200)
	if got := b.next()["terminalId"]; got != serial || len(paths) != 0 {
		t.Errorf("the shared address heard of %v, and the own one of %d more; want the other terminal, and none", got, len(paths))
	}
}
