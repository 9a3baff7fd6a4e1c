package loopback

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// serve serves on a free port until stop is called, which returns what Serve did.
func serve(t *testing.T, h http.HandlerFunc, farewell time.Duration) (address string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if !Is(ln) {
		t.Errorf("%s is taken for an address that others reach", ln.Addr())
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, &http.Server{Handler: h}, ln, farewell) }()
	return ln.Addr().String(), func() error {
		cancel()
		return <-ended
	}
}

// Connections on which nothing, or half a request, was sent do not keep the server, as they
// would keep the library's.
func TestEndsBesideSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := pipes{make(chan net.Conn), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, &http.Server{Handler: http.NotFoundHandler()}, ln, time.Minute) }()
		silent, half, used := ln.dial(), ln.dial(), ln.dial()
		for c, text := range map[net.Conn]string{half: "GET / HTTP/1.1\r\nHo", used: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"} {
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
		}
		if res, err := http.ReadResponse(bufio.NewReader(used), nil); err != nil || res.StatusCode != http.StatusNotFound {
			t.Errorf("%v, %v", res, err)
		}
		synctest.Wait()
		begun := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v to end", took)
		}
		for _, c := range []net.Conn{silent, half} {
			if _, err := c.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("a connection is left open: %v", err)
			}
		}
	})
}

// pipes is a listener within this process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// What is under way is answered.
func TestAnswersWhatIsUnderWay(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	address, stop := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-goOn
		_, _ = io.WriteString(w, "late")
	}, time.Hour)
	answer := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + address)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		said, _ := io.ReadAll(res.Body)
		answer <- string(said)
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for { // until it is about to end: nobody is let in any more
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		_ = c.Close()
	}
	close(goOn)
	if said := <-answer; said != "late" {
		t.Errorf("what was under way is answered %q", said)
	}
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// What goes on for longer than the farewell is cut off.
func TestCutsOffWhatDoesNotEnd(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	defer close(goOn)
	address, stop := serve(t, func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-goOn
	}, time.Millisecond)
	cut := make(chan error, 1)
	go func() {
		res, err := http.Get("http://" + address)
		if err == nil {
			_ = res.Body.Close()
		}
		cut <- err
	}()
	<-begun
	if err := stop(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
	if err := <-cut; err == nil {
		t.Error("it was answered")
	}
}

func TestOthersReachIt(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1": true, "127.8.8.8": true, "::1": true, "0.0.0.0": false, "::": false, "192.0.2.1": false} {
		if got := Is(at{&net.TCPAddr{IP: net.ParseIP(address)}}); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	if Is(at{&net.UnixAddr{Name: "127.0.0.1"}}) {
		t.Error("a socket in a folder is reached by whoever may open it")
	}
}

// at is a listener of an address alone.
type at struct{ addr net.Addr }

func (at) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (at) Close() error              { return nil }
func (a at) Addr() net.Addr          { return a.addr }
