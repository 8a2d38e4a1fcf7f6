package main

import (
	"strings"

	"github.com/zargo-io/zargo/internal/bits/similar"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// parseType parses the data type in a flag. For an unknown type, the error suggests a similar name.
func parseType(flag, text string) (dtype.Type, error) {
	t, err := dataTypes().Parse(text)
	if err == nil {
		return t, nil
	}
	if like := similar.Name(text, dataTypes().Names(), strings.ToLower); like != "" {
		return nil, usagef("%s: unknown data type %q (did you mean %q?)", flag, text, like)
	}
	return nil, at(flag, err)
}
