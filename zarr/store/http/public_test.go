package http

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestPublicOnly checks that a server on this machine is refused by its address and by its name,
// without a connection.
func TestPublicOnly(t *testing.T) {
	srv, _ := held().Serve(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		again := 0
		st := open(t, "http://"+host+":"+port, PublicOnly(), Retry(retry.Tries(3), retry.Notify(func(store.Retry) { again++ })))
		_, err := st.Get(t.Context(), "k", store.GetOptions{}, nil)
		fake.WantKind(t, err, fault.Refused)
		if again > 0 {
			t.Errorf("%s: tried again %d times", host, again)
		}
	}
	if n := srv.Conns(); n > 0 {
		t.Errorf("%d connections", n)
	}
}

func TestPublicOnlyContradicts(t *testing.T) {
	_, err := Open(t.Context(), "http://host.example", PublicOnly(), Transport(&http.Transport{}))
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
	if tr := transport(1, true); tr.Proxy != nil {
		t.Error("it has a proxy, which connects where it wants")
	}
	if tr := transport(1, false); tr.Proxy == nil {
		t.Error("without the option it has no proxy")
	}
}

func TestStallTimeoutIsChecked(t *testing.T) {
	_, err := Open(t.Context(), "http://host.example", StallTimeout(-1))
	var usage *UsageError
	if !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}
