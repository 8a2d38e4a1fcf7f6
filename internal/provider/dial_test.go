package provider

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// connected is a connection that records its address.
type connected struct {
	net.Conn
	to netip.AddrPort
}

func (connected) Close() error { return nil }

// dialer returns a Dialer with a simulated name server, which returns ips, and a simulated network.
func dialer(reach func(ctx context.Context, to netip.AddrPort) error, ips ...string) *Dialer {
	return &Dialer{
		lookup: func(context.Context, string) (addrs []netip.Addr, err error) {
			for _, ip := range ips {
				addrs = append(addrs, netip.MustParseAddr(ip))
			}
			return addrs, nil
		},
		connect: func(ctx context.Context, _ string, to netip.AddrPort) (net.Conn, error) {
			if err := reach(ctx, to); err != nil {
				return nil, &net.OpError{Op: "dial", Err: err}
			}
			return connected{to: to}, nil
		},
	}
}

func dialled(t *testing.T, d *Dialer) string {
	t.Helper()
	c, err := d.DialContext(t.Context(), "tcp", "host.example:443")
	if err != nil {
		t.Fatal(err)
	}
	return c.(connected).to.String()
}

func all(context.Context, netip.AddrPort) error { return nil }

// TestDialSpreads checks that connections go to all addresses of a name.
func TestDialSpreads(t *testing.T) {
	ips := []string{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6", "192.0.2.7", "192.0.2.8"}
	d, count := dialer(all, ips...), map[string]int{}
	for range 128 {
		count[dialled(t, d)]++
	}
	if len(count) != len(ips) {
		t.Errorf("128 connections went to %d of %d addresses: %v", len(count), len(ips), count)
	}
}

// unshuffled makes d try addresses in the order of the resolver.
func unshuffled(d *Dialer) *Dialer { d.shuffle = func(int, func(int, int)) {}; return d }

func TestDialTriesTheNext(t *testing.T) {
	var tried []string
	d := unshuffled(dialer(func(_ context.Context, to netip.AddrPort) error {
		tried = append(tried, to.String())
		if len(tried) < 3 {
			return errors.New("refused")
		}
		return nil
	}, "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"))
	if got := dialled(t, d); got != "192.0.2.3:443" || len(tried) != 3 {
		t.Errorf("got %s after %v", got, tried)
	}
}

func never(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

// TestDialLeavesTimeForTheNext checks that an address without a response takes only its share of
// the time.
func TestDialLeavesTimeForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := unshuffled(dialer(func(ctx context.Context, to netip.AddrPort) error {
			if to.Addr().String() == "192.0.2.1" {
				return never(ctx)
			}
			return nil
		}, "192.0.2.1", "192.0.2.2"))
		start := time.Now()
		if got := dialled(t, d); got != "192.0.2.2:443" || time.Since(start) != dialTimeout/2 {
			t.Errorf("got %s after %v", got, time.Since(start))
		}
	})
}

// TestDialFallsBack checks that the first address family of the resolver is preferred, and when the
// other one is tried.
func TestDialFallsBack(t *testing.T) {
	v6 := func(to netip.AddrPort) bool { return to.Addr().Is6() }
	for _, c := range []struct {
		name  string
		reach func(context.Context, netip.AddrPort) error
		want  string
		after time.Duration
	}{
		{"both", all, "[2001:db8::1]:443", 0},
		{"the first does not answer", func(ctx context.Context, to netip.AddrPort) error {
			if v6(to) {
				return never(ctx)
			}
			return nil
		}, "192.0.2.1:443", fallbackDelay},
		{"the first fails", func(_ context.Context, to netip.AddrPort) error {
			if v6(to) {
				return errors.New("network is unreachable")
			}
			return nil
		}, "192.0.2.1:443", 0},
		{"the second fails first", func(_ context.Context, to netip.AddrPort) error {
			if v6(to) {
				time.Sleep(time.Second)
				return nil
			}
			return errors.New("refused")
		}, "[2001:db8::1]:443", time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				got := dialled(t, dialer(c.reach, "2001:db8::1", "192.0.2.1"))
				if took := time.Since(start); got != c.want || took != c.after {
					t.Errorf("got %s after %v, want %s after %v", got, took, c.want, c.after)
				}
			})
		})
	}
}

func TestDialFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reach := func(ctx context.Context, _ netip.AddrPort) error { return never(ctx) }
		start := time.Now()
		_, err := dialer(reach, "2001:db8::1", "192.0.2.1").DialContext(t.Context(), "tcp", "host.example:443")
		var op *net.OpError
		var stall *StallError
		if !errors.As(err, &op) || op.Op != "dial" || !errors.As(err, &stall) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no response: %v", err)
		}
		if took := time.Since(start); took != dialTimeout {
			t.Errorf("given up after %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err = dialer(reach, "192.0.2.1").DialContext(ctx, "tcp", "host.example:443"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with the caller's deadline: %v", err)
		}
	})
	_, err := dialer(all).DialContext(t.Context(), "tcp", "host.example:443")
	if kind := NoAnswer(err).Kind; kind != error(fault.Refused) || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("no address: %v of kind %v", err, kind)
	}
}

// TestPublicOnly checks that the address of the connection decides, for any name.
func TestPublicOnly(t *testing.T) {
	private := []string{
		"127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1",
		"ff02::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001:db8::1", "2001::1", "100::1",
	}
	public := []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "52.216.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "2002:808:808::1"}
	for _, ip := range slices.Concat(private, public) {
		var reached bool
		d := dialer(func(context.Context, netip.AddrPort) error { reached = true; return nil }, ip)
		d.Forbid = PublicOnly
		_, err := d.DialContext(t.Context(), "tcp", "host.example:443")
		if want := slices.Contains(public, ip); reached != want || (err == nil) != want {
			t.Errorf("%s: connected %v, %v", ip, reached, err)
		}
		if err != nil && NoAnswer(err).Kind != error(fault.Refused) {
			t.Errorf("%s: %v", ip, err)
		}
		if !strings.Contains(ip, "%") { // also use the address as the host of a URL
			reached = false
			_, _ = d.DialContext(t.Context(), "tcp", net.JoinHostPort(ip, "80"))
			if reached != slices.Contains(public, ip) {
				t.Errorf("%s in the URL: connected %v", ip, reached)
			}
		}
	}
	// A name with two addresses connects only to the public one.
	d := dialer(all, "10.0.0.1", "1.1.1.1")
	d.Forbid = PublicOnly
	if got := dialled(t, d); got != "1.1.1.1:443" {
		t.Errorf("got %s", got)
	}
}

// TestPublicOnlyLooksAtEachConnection checks that redirects, and names whose address changes, do
// not bypass PublicOnly.
func TestPublicOnlyLooksAtEachConnection(t *testing.T) {
	var private atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "public.example" {
			private.Add(1)
		}
		if r.URL.Path == "/redirects" {
			http.Redirect(w, r, "http://private.example/", http.StatusFound)
		}
	}))
	defer srv.Close()
	address := map[string]string{"public.example": "1.1.1.1", "private.example": "::ffff:169.254.169.254"}
	d := &Dialer{
		Forbid: PublicOnly,
		lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr(address[host])}, nil
		},
		connect: func(ctx context.Context, network string, _ netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
		},
	}
	tr := &http.Transport{DialContext: d.DialContext}
	defer tr.CloseIdleConnections()
	ask := func(path string) error {
		resp, err := (&http.Client{Transport: tr}).Get("http://public.example" + path)
		if err == nil {
			_ = resp.Body.Close()
		}
		tr.CloseIdleConnections()
		return err
	}
	if err := ask("/"); err != nil {
		t.Fatal(err)
	}
	if err := ask("/redirects"); !errors.Is(err, fault.Refused) {
		t.Errorf("redirected: %v", err)
	}
	address["public.example"] = "10.0.0.1"
	if err := ask("/"); !errors.Is(err, fault.Refused) {
		t.Errorf("with another address: %v", err)
	}
	if n := private.Load(); n > 0 {
		t.Errorf("%d requests to a private address", n)
	}
}
