package deliver

import (
	"context"
	"errors"
	"net"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	plain := context.WithValue(context.Background(), plainKey{}, true)
	for _, tt := range []struct {
		address                      string
		open, openPlain, asked, inTh bool // public rules: https, http; private allowed: https, http
	}{
		{"1.1.1.1:443", true, false, true, false},
		{"[2606:4700::1111]:443", true, false, true, false},
		{"127.0.0.1:80", false, false, true, true},
		{"127.9.9.9:80", false, false, true, true},
		{"[::1]:80", false, false, true, true},
		{"[::ffff:127.0.0.1]:80", false, false, true, true},
		{"10.1.2.3:80", false, false, true, true},
		{"172.31.0.1:80", false, false, true, true},
		{"192.168.0.9:80", false, false, true, true},
		{"100.64.0.1:80", false, false, true, true},
		{"[fd12:3456::1]:80", false, false, true, true},
		{"0.0.0.0:80", false, false, false, false},
		{"[::]:80", false, false, false, false},
		{"169.254.169.254:80", false, false, false, false},
		{"[::ffff:169.254.169.254]:80", false, false, false, false},
		{"[fd00:ec2::254]:80", false, false, false, false},
		{"[fe80::1]:80", false, false, false, false},
		{"224.0.0.1:80", false, false, false, false},
		{"[ff02::1]:80", false, false, false, false},
		{"255.255.255.255:80", false, false, false, false},
		{"[64:ff9b::7f00:1]:80", false, false, false, false},
		{"[2002:7f00:1::]:80", false, false, false, false},
		{"[::127.0.0.1]:80", false, false, false, false},
		{"[::ffff:0:7f00:1]:80", false, false, false, false},
		{"168.63.129.16:443", false, false, false, false},
		{"[3fff::1]:80", false, false, false, false},
		{"nonsense", false, false, false, false},
	} {
		for _, c := range []struct {
			rule    string
			ctx     context.Context
			private bool
			want    bool
		}{
			{"https", context.Background(), false, tt.open},
			{"http", plain, false, tt.openPlain},
			{"https, private allowed", context.Background(), true, tt.asked},
			{"http, private allowed", plain, true, tt.inTh},
		} {
			if err := judge(c.ctx, tt.address, c.private); (err == nil) != c.want {
				t.Errorf("%s by %s: %v, want allowed: %t", tt.address, c.rule, err, c.want)
			}
		}
	}
}

// A name is judged by the address it resolves to when it is dialed.
func TestDialJudgesWhatANameStandsFor(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	for _, private := range []bool{false, true} {
		conn, err := newTransport(private, nil).DialContext(context.Background(), "tcp", net.JoinHostPort("localhost", port))
		if private != (err == nil) || !private && !errors.Is(err, errNotAllowed) {
			t.Errorf("dial localhost, private allowed %t: %v", private, err)
		}
		if conn != nil {
			conn.Close()
		}
	}
}

// By way of a proxy a name is never resolved here: only what the address itself says is judged.
func TestJudgeUnresolved(t *testing.T) {
	t.Parallel()
	plain := context.WithValue(context.Background(), plainKey{}, true)
	for _, tt := range []struct {
		address                      string
		open, openPlain, asked, inTh bool // as in TestJudge
	}{
		{"pos.example:443", true, false, true, false},
		{"1.1.1.1:443", true, false, true, false},
		{"10.1.2.3:80", false, false, true, true},
		{"127.0.0.1:80", false, false, true, true},
		{"169.254.169.254:80", false, false, false, false},
		{"[::ffff:169.254.169.254]:80", false, false, false, false},
		{"[fe80::1%eth0]:80", false, false, false, false},
		{"localhost:443", false, false, true, false},
		{"x.LOCALHOST.:443", false, false, true, false},
		{"127.1:443", false, false, false, false},
		{"2130706433:443", false, false, false, false},
		{"0x7f000001:443", false, false, false, false},
		{"0177.0.0.1:443", false, false, false, false},
		{"127.0.0.08:443", false, false, false, false},
		{"127.0.0.1.:443", false, false, true, false},
		{"nonsense", false, false, false, false},
	} {
		for _, c := range []struct {
			rule    string
			ctx     context.Context
			private bool
			want    bool
		}{
			{"https", context.Background(), false, tt.open},
			{"http", plain, false, tt.openPlain},
			{"https, private allowed", context.Background(), true, tt.asked},
			{"http, private allowed", plain, true, tt.inTh},
		} {
			if err := judgeUnresolved(c.ctx, tt.address, c.private); (err == nil) != c.want {
				t.Errorf("%s by %s: %v, want allowed: %t", tt.address, c.rule, err, c.want)
			}
		}
	}
}
