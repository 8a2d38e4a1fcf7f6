package azure

import (
	"net/http"
	"testing"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestDeletesAtOnce checks that if the server rejects batches, keys are deleted by concurrent
// single requests.
func TestDeletesAtOnce(t *testing.T) {
	environment(t)
	f := NewFake(t)
	fake.DeletesAtOnce(t, f.Server, open(t, f.At("p"), MaxInFlight(8)), 8, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		Fail(w, 405, "UnsupportedHttpVerb", "The resource does not support the specified HTTP verb.")
		return true
	})
}

// batching describes Azure for the tests of batches.
func batching() fake.Batching {
	return fake.Batching{
		Serve: func(t *testing.T) fake.Batched {
			environment(t)
			f := NewFake(t)
			return fake.Batched{
				Server: f.Server,
				Set:    func(key string) { f.Set("p/"+key, object{value: []byte("v")}) },
				Refuse: func(a fake.Answer) { f.Refuse = a },
				Open:   func() store.Store { return open(t, f.At("p")) },
				Bare:   func() store.Store { return bare(t, f.At("p")) },
			}
		},
		Size:   256,
		Busy:   func(w http.ResponseWriter) { Fail(w, 503, "ServerBusy", "The server is busy.") },
		Denied: func(w http.ResponseWriter) { Fail(w, 403, "AuthorizationPermissionMismatch", "Not allowed.") },
		NoBucket: func(w http.ResponseWriter) {
			Fail(w, 404, "ContainerNotFound", "The specified container does not exist.")
		},
		Status: 202, Gone: "202 Accepted", ID: "",
	}
}

func TestDeleteBatches(t *testing.T)      { fake.DeleteBatches(t, batching()) }
func TestDeleteBatchInPart(t *testing.T)  { fake.DeleteBatchInPart(t, batching()) }
func TestDeleteBatchAgain(t *testing.T)   { fake.DeleteBatchAgain(t, batching()) }
func TestDeleteBatchForeign(t *testing.T) { fake.DeleteBatchForeign(t, batching()) }
