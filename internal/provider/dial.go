package provider

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

func (d *Dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, network, service)
	if err != nil {
		return nil, err
	}
	ips, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	first, second := families(ips)
	return d.race(ctx, network, d.shuffled(first, port), d.shuffled(second, port))
}

// Dialer connects to a random address of a host. DNS returns up to eight addresses for the host
// name of a provider, each of a different front end. Package net uses the first of these addresses
// for all connections until the DNS response expires.
//
// The Dialer first tries the address family that the resolver returns first. It tries the other
// family after 300 ms, or when the first family has failed, as in package net (RFC 6555).
type Dialer struct {
	// Forbid, if not nil, is called before each connection to an address. If Forbid returns an
	// error, the connection is not made.
	Forbid func(netip.Addr) error

	// Replaced in tests. nil means the functions of package net, and rand.Shuffle.
	lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	connect func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error)
	shuffle func(n int, swap func(i, j int))
}

// DialContext connects to address, "host:port", as required by http.Transport. After 15 s it
// returns a *StallError in a *net.OpError.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := d.dial(bounded, network, address)
	var op *net.OpError
	switch {
	case err == nil:
		return c, nil
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded): // includes timeouts of package net
		err = &StallError{After: dialTimeout, Doing: "no connection to " + address + " could be made"}
	case errors.As(err, &op):
		return nil, err
	}
	return nil, &net.OpError{Op: "dial", Net: network, Err: err}
}

const (
	// dialTimeout is the maximum time to connect, including the lookup of the name. TCP repeats a
	// SYN after waits of 1, 2, 4 and 8 s, which are 15 s in total.
	dialTimeout = 15 * time.Second
	// leastDial is the minimum time to connect to one of several addresses. It suffices if one SYN
	// is lost.
	leastDial = 2 * time.Second
	// fallbackDelay is the time after which the other address family is tried. 300 ms is the
	// default of package net; RFC 8305 section 5 recommends 250 ms.
	fallbackDelay = 300 * time.Millisecond
)

func (d *Dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	lookup := d.lookup
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	ips, err := lookup(ctx, host)
	if err == nil && len(ips) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return ips, err
}

// families divides addresses into those of the same family as ips[0] and the others.
func families(ips []netip.Addr) (first, second []netip.Addr) {
	for _, ip := range ips {
		if ip.Unmap().Is4() == ips[0].Unmap().Is4() {
			first = append(first, ip)
		} else {
			second = append(second, ip)
		}
	}
	return first, second
}

func (d *Dialer) shuffled(ips []netip.Addr, port int) []netip.AddrPort {
	to := make([]netip.AddrPort, len(ips))
	for i, ip := range ips {
		to[i] = netip.AddrPortFrom(ip, uint16(port))
	}
	shuffle := d.shuffle
	if shuffle == nil {
		shuffle = rand.Shuffle
	}
	shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	return to
}

// errConnected cancels the remaining attempts of a race when one attempt has connected.
var errConnected = errors.New("connected")

// race tries the addresses in the list first. When all of them have failed, or when fallbackDelay
// has passed, it also tries the addresses in the list second. It returns the connection that is
// made first.
func (d *Dialer) race(ctx context.Context, network string, first, second []netip.AddrPort) (net.Conn, error) {
	if len(second) == 0 {
		return d.oneOf(ctx, network, first)
	}
	var (
		mu     sync.Mutex
		winner net.Conn
		errs   [2]error
	)
	firstFailed := make(chan struct{})
	try := func(ctx context.Context, i int) error {
		to := first
		if i == 1 {
			to = second
			timer := time.NewTimer(fallbackDelay)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-firstFailed:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c, err := d.oneOf(ctx, network, to)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs[i] = err
			if i == 0 {
				close(firstFailed)
			}
			return nil
		}
		if winner != nil {
			_ = c.Close() // the other family was faster
			return nil
		}
		winner = c
		return errConnected
	}
	err := concurrency.EachN(ctx, 2, 2, try)
	switch {
	case winner != nil:
		return winner, nil
	case errs[0] != nil:
		return nil, errs[0] // error of the preferred family, as in package net
	}
	return nil, err
}

// oneOf tries the addresses one after another. Each address has an equal share of the remaining
// time. If all addresses fail, oneOf returns the first error.
func (d *Dialer) oneOf(ctx context.Context, network string, to []netip.AddrPort) (_ net.Conn, err error) {
	for i, addr := range to {
		c, e := d.within(ctx, len(to)-i, network, addr)
		if e == nil {
			return c, nil
		}
		if err == nil {
			err = e
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

func (d *Dialer) within(ctx context.Context, left int, network string, to netip.AddrPort) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(leastDial, time.Until(end)/time.Duration(left)))
		defer cancel()
	}
	return d.to(ctx, network, to)
}

// to makes a connection to one address.
func (d *Dialer) to(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	if d.Forbid != nil {
		if err := d.Forbid(to.Addr()); err != nil {
			return nil, err
		}
	}
	if d.connect != nil {
		return d.connect(ctx, network, to)
	}
	return (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext(ctx, network, to.String())
}
