package azure

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// lacks excludes AnyKey: Azure drops the last dot of a segment, so such keys are rejected. TestKeys
// tests the other keys of AnyKey.
var lacks = storetest.Without(storetest.AnyKey)

func TestStore(t *testing.T) {
	environment(t)
	f := NewFake(t)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, f.At(fmt.Sprintf("a b/run+%d", n.Add(1))))
	}, lacks)
}

// TestStoreBare runs the conformance tests without the layers of Open.
func TestStoreBare(t *testing.T) {
	environment(t)
	storetest.Run(t, func(t *testing.T) store.Store { return bare(t, NewFake(t).At("")) }, lacks, storetest.Rounds(4))
}

// TestStoreThroughFailures checks that the layers hide the failures of a server that throttles
// every seventh request and truncates every fifth value.
func TestStoreThroughFailures(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Flaky(azureSays(503, "ServerBusy"), "If-None-Match")
	var run atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, f.At(fmt.Sprintf("run%d", run.Add(1))), Retry(retry.Backoff(time.Millisecond, time.Millisecond)), MaxInFlight(32))
	}, lacks, storetest.Keys(50), storetest.Rounds(2))
}

// TestStoreAzurite runs against a real server at ZARGO_TEST_AZURITE, a host and port, with the
// emulator's account.
func TestStoreAzurite(t *testing.T) {
	host, key := os.Getenv("ZARGO_TEST_AZURITE"), os.Getenv("ZARGO_TEST_AZURITE_KEY")
	if host == "" {
		t.Skip("ZARGO_TEST_AZURITE names no server: not tested against a real one")
	}
	environment(t)
	prefix := fmt.Sprintf("azure-test-%d", time.Now().UnixNano())
	at := func(p string) string {
		return "azblob://zarr-test/" + p + "?storage_account=devstoreaccount1&localemu=true&protocol=http&domain=" + url.QueryEscape(host)
	}
	var c *container.Client
	if s := open(t, at(""), SharedKey(key)); !store.As(s, &c) {
		t.Fatal("the store gives no client")
	}
	_, _ = c.Create(t.Context(), nil) // the container may exist
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Store {
		return open(t, at(fmt.Sprintf("%s/%d", prefix, n.Add(1))), SharedKey(key))
	}, lacks)
	t.Run("bare", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) store.Store {
			return bare(t, at(fmt.Sprintf("%s/%d", prefix, n.Add(1))), SharedKey(key))
		}, lacks, storetest.Keys(50), storetest.Rounds(4))
	})
	t.Run("keys", func(t *testing.T) { holdsKeys(t, open(t, at(prefix+"/keys"), SharedKey(key))) })
	t.Run("reader without list", func(t *testing.T) {
		w := open(t, at(prefix+"/sas"), SharedKey(key))
		if _, err := w.Put(t.Context(), "k", []byte("0123456789"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		signed, err := c.GetSASURL(sas.ContainerPermissions{Read: true}, time.Now().Add(time.Hour), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, token, _ := strings.Cut(signed, "?")
		r := open(t, at(prefix+"/sas"), SASToken(token))
		if v, err := r.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(3)}, nil); err != nil || string(v.Bytes) != "789" {
			t.Errorf("%q, %v", v.Bytes, err)
		}
		if _, err := r.Get(t.Context(), "absent", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
			t.Errorf("absent: %v", err)
		}
		if _, err := r.Put(t.Context(), "k", nil, store.PutOptions{}); !errors.Is(err, fault.Refused) {
			t.Errorf("put: %v", err)
		}
		for _, err := range r.List(t.Context(), "", store.ListOptions{}) {
			if !errors.Is(err, fault.Refused) {
				t.Errorf("list: %v", err)
			}
		}
	})
	t.Run("failures", func(t *testing.T) {
		missing := strings.Replace(at(""), "zarr-test", "no-such-container", 1)
		for verb, err := range fake.Verbs(t.Context(), open(t, missing, SharedKey(key)), `"1"`) {
			t.Run("missing container: "+verb, func(t *testing.T) { fake.WantKind(t, err, fault.Refused) })
		}
		for verb, err := range fake.Verbs(t.Context(), open(t, at(""), SharedKey("d3Jvbmc=")), `"1"`) {
			t.Run("wrong key: "+verb, func(t *testing.T) { fake.WantKind(t, err, fault.Refused) })
		}
		for verb, err := range fake.Verbs(t.Context(), open(t, at(""), Anonymous()), `"1"`) {
			t.Run("no key: "+verb, func(t *testing.T) { fake.WantKind(t, err, fault.Refused) })
		}
	})
}

// environment unsets the machine's variables of Azure and sets a key for the tests.
func environment(t testing.TB) {
	for _, kv := range [][2]string{
		{"AZURE_STORAGE_ACCOUNT", "acct"}, {"AZURE_STORAGE_KEY", "emFyZ28tdGVzdC1rZXk="}, {"AZURE_STORAGE_SAS_TOKEN", ""},
		{"AZURE_STORAGE_CONNECTION_STRING", ""}, {"AZURE_STORAGEBLOB_CONNECTIONSTRING", ""}, {"AZURE_STORAGE_DOMAIN", ""},
		{"AZURE_STORAGE_PROTOCOL", ""}, {"AZURE_STORAGE_IS_CDN", ""}, {"AZURE_STORAGE_IS_LOCAL_EMULATOR", ""},
		{"AZURE_CLIENT_ID", ""}, {"AZURE_TENANT_ID", ""}, {"AZURE_CLIENT_SECRET", ""}, {"AZURE_FEDERATED_TOKEN_FILE", ""},
		{provider.TrustVariable, ""},
	} {
		t.(interface{ Setenv(string, string) }).Setenv(kv[0], kv[1])
	}
}

func open(t testing.TB, url string, opts ...Option) store.Store {
	t.Helper()
	return fake.Opened(t)(Open(t.Context(), url, opts...))
}

// bare opens the provider without the retry and limit layers.
func bare(t testing.TB, url string, opts ...Option) store.Store {
	t.Helper()
	c := &config{}
	if err := c.read(url, opts); err != nil {
		t.Fatal(err)
	}
	return fake.Opened(t)(c.Connect(t.Context()))
}
