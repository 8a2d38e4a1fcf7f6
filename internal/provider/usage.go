package provider

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
)

// Usage makes a *store.UsageError.
func Usage(format string, args ...any) error {
	return &store.UsageError{Text: fmt.Sprintf(format, args...)}
}
