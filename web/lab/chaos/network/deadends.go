package network

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// deadEnd is an address at which nothing can be sent.
type deadEnd struct {
	addr    string
	closers []io.Closer
}

func (d *deadEnd) Close() error {
	var errs []error
	for _, c := range d.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// closedPort is an address that is taken, so that nobody else comes to listen
// there, and does not listen.
func closedPort() (*deadEnd, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	syscall.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), "socket")
	d := &deadEnd{closers: []io.Closer{file}}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, errors.Join(fmt.Errorf("bind: %w", err), d.Close())
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("name of socket: %w", err), d.Close())
	}
	d.addr = fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	return d, nil
}

// fullBacklog is an address that listens, never accepts, and whose queue is
// full: the system then leaves whoever wants to connect without an answer.
func fullBacklog() (*deadEnd, error) {
	d, err := closedPort()
	if err != nil {
		return nil, err
	}
	file := d.closers[0].(*os.File)
	if err := syscall.Listen(int(file.Fd()), 0); err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), d.Close())
	}
	for range 1024 {
		conn, err := net.DialTimeout("tcp", d.addr, time.Second)
		if err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				return d, nil
			}
			return nil, errors.Join(fmt.Errorf("fill backlog: %w", err), d.Close())
		}
		d.closers = append(d.closers, conn)
	}
	return nil, errors.Join(errors.New("the backlog does not become full"), d.Close())
}

// noHandshake is an address with which no handshake succeeds: connections are
// handed on in turn as they are, to the service which speaks plain HTTP, and
// behind a certificate that nobody has signed. What came through either would be
// in the service's ledger.
func noHandshake(service string) (*deadEnd, error) {
	certificate, err := strangersCertificate()
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	var turn atomic.Int64
	go serve(ln, func(conn *net.TCPConn) {
		up, err := net.Dial("tcp", service)
		if err != nil {
			return
		}
		defer up.Close()
		if turn.Add(1)%2 == 0 {
			relay(conn, up)
			return
		}
		secure := tls.Server(conn, config)
		if secure.Handshake() != nil {
			return
		}
		go func() { _, _ = io.Copy(up, secure) }()
		_, _ = io.Copy(secure, up)
	})
	return &deadEnd{addr: ln.Addr().String(), closers: []io.Closer{ln}}, nil
}

func strangersCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "stranger"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
