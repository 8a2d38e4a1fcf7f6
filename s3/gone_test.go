package s3

import (
	"net"
	"net/http"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestPartOfAGoneUpload uses a server that resets the connection of a part before it has read the
// part. It checks that the error is fault.Conflict if the upload no longer exists, and otherwise
// fault.Unavailable, which is retried.
func TestPartOfAGoneUpload(t *testing.T) {
	credentialsForTests(t)
	f := NewFake(t)
	s := bare(t, f.At("p"))
	p, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		_ = conn.(*net.TCPConn).SetLinger(0) // a reset instead of a close
		_ = conn.Close()
		return true
	})
	fake.WantKind(t, p.Part(t.Context(), 0, make([]byte, 1<<20)), fault.Unavailable)
	q, err := store.PutParts(t.Context(), s, "k", store.PartsOptions{Resume: p.Token()})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, p.Abort(t.Context()))
	fake.WantKind(t, q.Part(t.Context(), 0, make([]byte, 1<<20)), fault.Conflict)
}
