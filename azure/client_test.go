package azure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// clientOf returns a client like that of a program that does not use this package, with retries
// enabled.
func clientOf(t *testing.T, f *Fake) *container.Client { return clientFor(t, f, "zarr-test") }

func clientFor(t *testing.T, f *Fake, name string) *container.Client {
	t.Helper()
	key, err := container.NewSharedKeyCredential("acct", "a2V5")
	if err != nil {
		t.Fatal(err)
	}
	c, err := container.NewClientWithSharedKeyCredential(f.URL+"/acct/"+name, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClientStore(t *testing.T) {
	environment(t)
	f := NewFake(t)
	c := clientOf(t, f)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, fmt.Sprintf("azblob://zarr-test/run%d", n.Add(1)), Client(c))
	}, lacks, storetest.Keys(50), storetest.Rounds(2))
}

// TestClient checks that each call is one request, even if it fails, and that the client is not
// modified.
func TestClient(t *testing.T) {
	environment(t)
	f := NewFake(t)
	c := clientOf(t, f)
	s := open(t, "azblob://zarr-test/p", Client(c), MaxInFlight(9), Retry(retry.Tries(1)))
	v, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{IfAbsent: true})
	if err != nil || v == "" {
		t.Fatal(v, err)
	}
	if _, err := s.Put(t.Context(), "k", nil, store.PutOptions{IfVersion: `"other"`}); !errors.Is(err, fault.Conflict) {
		t.Error(err)
	}
	if got := store.Name(s); got != "azblob://zarr-test/p?domain="+strings.ReplaceAll(f.Host(), ":", "%3A")+"&storage_account=acct" {
		t.Error(got)
	}
	if store.TuningOf(s).Requests != 9 {
		t.Error("another tuning")
	}
	f.Requests()
	f.Answer(fake.Page(503, "", ""))
	all := fake.Verbs(t.Context(), s, `"1"`)
	for verb, err := range all {
		fake.WantKind(t, err, fault.Unavailable)
		_ = verb
	}
	if n := len(f.Requests()); n != len(all) {
		t.Errorf("%d requests for %d verbs", n, len(all))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	var n atomic.Int64
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		return n.Add(1) == 1 && fake.Page(503, "", "", "Retry-After-Ms", "1")(w, r)
	})
	if _, err := c.NewBlobClient("p/k").GetProperties(t.Context(), nil); err != nil || n.Load() != 2 {
		t.Errorf("%d requests of the client's own, %v", n.Load(), err)
	}
}

func TestClientContradicts(t *testing.T) {
	environment(t)
	c := clientOf(t, NewFake(t))
	fake.ClientContradicts(t, opening(), "azblob://zarr-test", "azure.Client", Client(c), map[string]Option{
		"anonymous": Anonymous(), "key": SharedKey("a2V5"), "SAS": SASToken("s"), "credential": Credential(tokens{}), "connection": ConnectionString("c"),
		"account": Account("a"), "domain": Domain("d"), "emulator": Emulator(), "protocol": Protocol("http"), "stall": StallTimeout(time.Second), "HTTP client": HTTPClient(http.DefaultClient),
		"trust": TrustHost("h"),
	})
	var u *UsageError
	if _, err := Open(t.Context(), "azblob://another", Client(c)); !errors.As(err, &u) || !strings.Contains(err.Error(), "another") {
		t.Errorf("another container: %v", err)
	}
}
