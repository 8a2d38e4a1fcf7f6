package gcs

import (
	"testing"

	"github.com/zargo-io/zargo/internal/provider/fake"
)

// Without a batch keys are deleted by one request each, some at once.
func TestDeletesAtOnce(t *testing.T) {
	noEnvironment(t)
	f := NewFake(t)
	fake.DeletesAtOnce(t, f.Server, open(t, f.At("p"), MaxInFlight(8)), 8)
}
