package azure

import (
	"errors"
	"net/http"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestReasons checks that the kinds distinguish a missing container, a wrong key, a missing
// permission and a full disk, and each error has the ID of the request.
func TestReasons(t *testing.T) {
	environment(t)
	f := NewFake(t)
	says := func(status int, code string) fake.Answer {
		answer := azureSays(status, code)
		return func(w http.ResponseWriter, r *http.Request) bool {
			return answer(withNumber{w}, r)
		}
	}
	fake.Reasons(t, f.Answer, open(t, f.At(""), Retry(retry.Tries(1))), []fake.Reason{
		{Name: "container", Answer: says(404, "ContainerNotFound"), Kind: fault.NoBucket},
		{Name: "key", Answer: says(403, "AuthenticationFailed"), Kind: fault.Unauthenticated},
		{Name: "no credentials", Answer: says(401, "NoAuthenticationInformation"), Kind: fault.NoCredentials},
		{Name: "role", Answer: says(403, "AuthorizationPermissionMismatch"), Kind: fault.Denied},
		{Name: "private", Answer: says(404, "ResourceNotFound"), Kind: fault.Refused},
		{Name: "full", Answer: says(507, "InsufficientStorage"), Kind: fault.Full},
		{Name: "absent", Answer: says(404, "BlobNotFound"), Kind: fault.NotFound},
		{Name: "page", Answer: fake.Page(200, "text/html", fake.HTML, "X-Ms-Request-Id", "4442587F"), Kind: fault.Unavailable},
	})
}

// withNumber adds the request ID to each response.
type withNumber struct{ http.ResponseWriter }

func (n withNumber) WriteHeader(status int) {
	n.Header().Set("X-Ms-Request-Id", "4442587F")
	n.ResponseWriter.WriteHeader(status)
}

// TestAbsentCredentials checks that without available credentials no request is sent, and that the
// kind is fault.NoCredentials.
func TestAbsentCredentials(t *testing.T) {
	environment(t)
	s := bare(t, "azblob://c?storage_account=acct", Credential(tokens{errors.New("please run az login")}))
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, nil)
	if !errors.Is(err, fault.NoCredentials) || errors.Is(err, fault.Unauthenticated) {
		t.Errorf("want no credentials, got %v", err)
	}
}
