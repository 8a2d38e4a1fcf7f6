package main

import (
	"strings"

	"github.com/zargo-io/zargo/zarr"
)

// fieldFlag selects one field of an array of structures.
type fieldFlag struct {
	Field string `help:"One field of a structure, or of a nested structure, such as at.y. The axes of the field, if any, come last." placeholder:"NAME"`
}

// of returns a view of the field, or the array itself if the flag is not set. A field whose name
// contains points takes precedence over a nested field.
func (f fieldFlag) of(a *zarr.Array) (*zarr.Array, error) {
	if f.Field == "" {
		return a, nil
	}
	if v, err := a.Field(f.Field); err == nil {
		return v, nil
	}
	return a.Field(strings.Split(f.Field, ".")...)
}
