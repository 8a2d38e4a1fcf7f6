package fake

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Reason is a response that refuses a request and contains the ID of the request.
type Reason struct {
	Name   string
	Answer Answer
	Kind   error
}

// Reasons checks that refusals have the expected kinds, and that errors and traces contain the ID
// of the request. Each response must have the ID "4442587F".
func Reasons(t *testing.T, set func(Answer), st store.Store, all []Reason) {
	defer set(nil)
	for _, r := range all {
		t.Run(r.Name, func(t *testing.T) {
			set(r.Answer)
			attempts := 0
			ctx := store.WithTrace(t.Context(), &store.Trace{Attempt: func(_ context.Context, a store.Attempt) {
				if attempts++; a.Request != "4442587F" {
					t.Errorf("the attempt has the request ID %q", a.Request)
				}
			}})
			_, err := st.Get(ctx, "k", store.GetOptions{}, nil)
			if !errors.Is(err, r.Kind) {
				t.Errorf("want %v, got %v", r.Kind, err)
			}
			for _, k := range []error{fault.NoBucket, fault.NoCredentials, fault.Unauthenticated, fault.Denied} {
				if errors.Is(err, k) != (k == r.Kind) {
					t.Errorf("is it %q? %v", k, err)
				}
			}
			if refused := errors.Is(r.Kind, fault.Refused); errors.Is(err, fault.Refused) != refused {
				t.Errorf("refused is to be %v: %v", refused, err)
			}
			if err != nil && (!strings.Contains(err.Error(), "4442587F") || fault.RequestID(err) != "4442587F") {
				t.Errorf("the request ID is not in %v", err)
			}
			if attempts == 0 {
				t.Error("no attempt was traced")
			}
		})
	}
}
