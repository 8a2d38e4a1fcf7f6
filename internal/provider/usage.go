package provider

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
)

// Usage returns a *store.UsageError with a formatted message.
func Usage(format string, args ...any) error {
	return &store.UsageError{Text: fmt.Sprintf(format, args...)}
}
