package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// azures returns a bucket on the fake server that takes the server for Azure.
func azures(t *testing.T, f *Fake) *bucket {
	t.Helper()
	b := newBucket(clientOf(t, f), &config{prefix: "p"})
	b.azure = true
	return b
}

// TestCopyConditions checks that conditions on the destination are not sent to servers other than
// Azure, and that a condition on the source is checked there by a read.
func TestCopyConditions(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("p/a", object{value: []byte("a")})
	s := bare(t, f.At("p"))
	fake.CopyUnsupported(t, f.Server, s, store.Version(f.blobs["p/a"].etag))
	if n := len(f.Requests()); n != 2 {
		t.Errorf("%d requests, want a read and a copy", n)
	}
}

// TestCopyConditionsOfAzure checks the results of conditions on both objects of a copy.
func TestCopyConditionsOfAzure(t *testing.T) {
	environment(t)
	f := NewFake(t)
	b := azures(t, f)
	f.Set("p/a", object{value: []byte("a")})
	f.Set("p/b", object{value: []byte("b")})
	va, vb := store.Version(f.blobs["p/a"].etag), store.Version(f.blobs["p/b"].etag)
	fake.CopyConditions(t, f.Server, va, vb, b.copy)
}

// TestCopySource checks how the service is allowed to read the source: by the token of the client,
// by a token for this blob that can only read, by the token of the identity, or not at all.
func TestCopySource(t *testing.T) {
	environment(t)
	f := NewFake(t)
	b := azures(t, f)
	at, _, err := b.source(t.Context(), "a")
	u, bad := url.Parse(at)
	if err != nil || bad != nil || u.Path != "/acct/zarr-test/p/a" || u.Query().Get("sp") != "r" || u.Query().Get("sr") != "b" || u.Query().Get("se") == "" {
		t.Errorf("account key: %s, %v", at, err)
	}
	client, err := container.NewClientWithNoCredential(f.URL+"/acct/zarr-test?sv=1&sig=s", nil)
	if err != nil {
		t.Fatal(err)
	}
	if at, _, err := newBucket(client, &config{}).source(t.Context(), "a"); err != nil || !strings.Contains(at, "sig=s") {
		t.Errorf("SAS token: %s, %v", at, err)
	}
	client, err = container.NewClientWithNoCredential(f.URL+"/acct/zarr-test", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := newBucket(client, &config{}).source(t.Context(), "a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("anonymous: %v", err)
	}
	at, bearer, err := newBucket(client, &config{tokens: &credential{c: tokens{}}}).source(t.Context(), "a")
	if err != nil || bearer == nil || *bearer != "Bearer t" || strings.Contains(at, "?") {
		t.Errorf("identity: %s, %v", at, err)
	}
	_, _, err = newBucket(client, &config{tokens: &credential{c: tokens{errors.New("please run az login")}}}).source(t.Context(), "a")
	if !errors.Is(err, fault.NoCredentials) || !strings.Contains(fmt.Sprint(err), "az login") {
		t.Error(err)
	}
}

// TestCopyRefused checks the kinds of refused copies and of responses that do not confirm a copy.
func TestCopyRefused(t *testing.T) {
	environment(t)
	f := NewFake(t)
	b := azures(t, f)
	f.Set("p/a", object{value: []byte("a")})
	f.Set("p/long", object{value: make([]byte, maxCopy+1)})
	answers := func(status int, code string, header ...string) fake.Answer {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("X-Ms-Copy-Source") == "" {
				return false
			}
			w.Header().Set("ETag", `"new"`)
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			if code == "" {
				w.WriteHeader(status)
			} else {
				Fail(w, status, code, "the message")
			}
			return true
		}
	}
	for _, c := range []struct {
		name   string
		from   string
		answer fake.Answer
		want   error
	}{
		{"firewall", "a", answers(403, "CannotVerifyCopySource"), errors.ErrUnsupported},
		{"source missing, says Azure", "a", answers(404, "CannotVerifyCopySource"), fault.Unavailable},
		{"container missing", "a", answers(404, "ContainerNotFound"), fault.NoBucket},
		{"too long", "long", answers(409, "InvalidBlobType"), fault.Limit},
		{"another conflict", "a", answers(409, "InvalidBlobType"), fault.Refused},
		{"pending", "a", answers(202, "", "X-Ms-Copy-Status", "pending"), fault.Unavailable},
		{"no status", "a", answers(202, ""), fault.Unavailable},
		{"busy", "a", answers(503, "ServerBusy"), fault.Throttled},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.Answer(c.answer)
			_, err := b.copy(context.Background(), c.from, "b", store.CopyOptions{})
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}
