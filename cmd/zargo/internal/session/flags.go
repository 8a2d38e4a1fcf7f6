package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// FieldFlag selects one field of an array of structures.
type FieldFlag struct {
	Field string `help:"One field of a structure, or of a nested structure, such as at.y. The axes of the field, if any, come last." placeholder:"NAME"`
}

// Of returns a view of the field, or the array itself if the flag is not set. A field whose name
// contains points takes precedence over a nested field.
func (f FieldFlag) Of(a *zarr.Array) (*zarr.Array, error) {
	if f.Field == "" {
		return a, nil
	}
	if v, err := a.Field(f.Field); err == nil {
		return v, nil
	}
	return a.Field(strings.Split(f.Field, ".")...)
}

// ConsolidateFlag updates consolidated metadata. It is a flag of the commands that change metadata
// below a group with consolidated metadata.
type ConsolidateFlag struct {
	Consolidate bool `help:"Update the consolidated metadata of groups above the node. By default a warning lists the groups whose consolidated metadata is out of date."`
}

// After updates the consolidated metadata of groups above a changed node, or prints a warning if
// that metadata is out of date.
func (c ConsolidateFlag) After(ctx context.Context, s *Session, p *Place, n zarr.Node) error {
	if c.Consolidate {
		_, err := upkeep.UpdateParents(ctx, n)
		return p.Fail(err)
	}
	stale, err := upkeep.CheckParents(ctx, n)
	if err != nil {
		s.Warn("%s: the consolidated metadata of groups above may be out of date, it could not be checked: %v", p.Where, err)
	}
	for i, path := range stale {
		stale[i] = p.urlOf(path)
	}
	if len(stale) > 0 && s.Rehearsed == nil {
		slices.Sort(stale)
		s.Warn("the consolidated metadata of %s is now out of date: update it with --consolidate or zargo consolidate", strings.Join(stale, ", "))
	}
	return nil
}

// urlOf returns the URL of the node at path, for use in messages. The node is that of the place, or
// a group above that node.
func (p *Place) urlOf(path string) string {
	up := strings.Count(strings.Trim(p.Path, "/"), "/") - strings.Count(path, "/")
	if path == "" {
		up++
	}
	l, err := openurl.Parse(p.Where)
	if err != nil || p.Path == "" || path == p.Path {
		return p.Where
	}
	for range up {
		l, _ = l.Parent()
	}
	return l.String()
}

// SeparatorFlag sets the separator of chunk keys for v2 arrays whose metadata does not declare it.
type SeparatorFlag struct {
	Separator string `help:"Separator in chunk keys, / or a point, if the metadata of format 2 does not declare it." enum:",/,." default:""`
}

// Options returns the options for opening an array.
func (f SeparatorFlag) Options() []zarr.Option {
	if f.Separator == "" {
		return nil
	}
	return []zarr.Option{zarr.Separator(f.Separator)}
}

// FillAttributeFlag keeps fill values and the attribute _FillValue unchanged. xarray may then see
// other missing values.
type FillAttributeFlag struct {
	NoFillAttribute bool `name:"no-fill-attribute" help:"Keep fill values and the attribute _FillValue when the format changes. By default an array with dimension names keeps the missing values that xarray sees: in v2 the fill value marks them, in v3 the attribute."`
}

// LayoutWarning describes a problem of a key layout and how to solve it. It returns "" if there is
// no problem.
func LayoutWarning(l upkeep.KeyLayout) string {
	switch {
	case l.Other() == "":
		return ""
	case l.Stated:
		return l.String()
	case l.Mixed():
		return fmt.Sprintf("%v: use --separator %s to read the others", l, l.Other())
	}
	return fmt.Sprintf("%v: use --separator %s to read them", l, l.Other())
}

// WarnOfMissing prints a warning if a read found none of its chunks but chunks exist under keys of
// another layout. All printed values are then fill values. WarnOfMissing sends requests only if all
// chunks were missing, and ignores errors of these requests.
func (s *Session) WarnOfMissing(ctx context.Context, p *Place, a *zarr.Array) {
	if missing := s.Report.Missing.Load(); missing == 0 || missing < s.Report.Chunks.Load() {
		return
	}
	if l, err := upkeep.CheckKeys(ctx, a); err == nil && l.Other() != "" {
		s.Warn("%s: all chunks are missing and were read as the fill value; %s", p.Where, LayoutWarning(l))
	}
}

// OpenField opens an array, or a field of it, to read it. The caller closes the place.
func (s *Session) OpenField(ctx context.Context, url string, separator SeparatorFlag, field FieldFlag) (*Place, *zarr.Array, error) {
	p, a, err := s.OpenArray(ctx, url, separator.Options()...)
	if err != nil {
		return nil, nil, err
	}
	if a, err = field.Of(a); err != nil {
		p.Release()
		return nil, nil, p.Fail(err)
	}
	return p, a, nil
}

// OpenToWrite opens an array, or a field of it, to write elements. If the stored chunks have keys
// of another layout than writes would use, it returns an error that requires --separator, because
// an array with chunks in both layouts cannot be read completely. The caller closes the place.
func (s *Session) OpenToWrite(ctx context.Context, url string, separator SeparatorFlag, field FieldFlag) (*Place, *zarr.Array, error) {
	p, a, err := s.OpenField(ctx, url, separator, field)
	if err != nil || separator.Separator != "" || !a.Metadata().NoSeparator {
		return p, a, err
	}
	l, err := upkeep.CheckKeys(ctx, a)
	switch {
	case errors.Is(err, fault.Refused): // write permission does not imply permission to list
		return p, a, nil
	case err == nil && l.Other() != "":
		err = exit.Usagef("%v: pass --separator %s or --separator %s", l, l.Other(), l.Separator)
	}
	if err != nil {
		p.Release()
		return nil, nil, p.Fail(err)
	}
	return p, a, nil
}
