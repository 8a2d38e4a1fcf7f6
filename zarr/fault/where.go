package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// KeyError is the error of an operation on a key of a store. It wraps the kind of the failure and
// the provider's own error.
type KeyError struct {
	Op    string // "get", "put", "delete", "list", "open"
	Store string // the store's URL or name, as its String method returns it
	Key   string // the key relative to the store's root; the prefix for "list"
	Kind  error  // a Kind or errors.ErrUnsupported; nil if only Err describes it (a cancelled context)
	Err   error  // the cause; nil if Kind is enough
}

func (e *KeyError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteByte(' ')
	b.WriteString(strconv.Quote(e.Key))
	if e.Store != "" {
		b.WriteString(" in ")
		b.WriteString(e.Store)
	}
	writeCause(&b, e.Kind, e.Err)
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *KeyError) Unwrap() []error { return both(e.Kind, e.Err) }

// ChunkError is an error about a chunk of an array.
type ChunkError struct {
	Op    string // "read" or "write"
	Path  string // the array's path below the store's root
	Key   string // the chunk's key below the store's root
	Coord []int  // the chunk's position in the chunk grid
	Err   error
}

func (e *ChunkError) Error() string {
	return fmt.Sprintf("%s %q chunk %v (%s): %v", e.Op, e.Path, e.Coord, e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *ChunkError) Unwrap() error { return e.Err }

// MetaError is an error about a metadata document or a member of it.
type MetaError struct {
	Key     string // the document's key, such as "t2m/zarr.json"
	Pointer string // RFC 6901 JSON pointer, such as "/chunk_grid/configuration/chunk_shape/0"; "" is the whole document
	Err     error  // the cause; it usually wraps Metadata or errors.ErrUnsupported
}

func (e *MetaError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%s: %v", e.Key, e.Err)
	}
	return fmt.Sprintf("%s at %s: %v", e.Key, e.Pointer, e.Err)
}

// Unwrap returns the cause.
func (e *MetaError) Unwrap() error { return e.Err }

// RequestID returns the ID that the provider assigned to the failed request, for a report to the
// provider's support. It returns "" if err contains no ID. The error's text includes the ID too.
func RequestID(err error) string {
	var e interface{ RequestID() string }
	if errors.As(err, &e) {
		return e.RequestID()
	}
	return ""
}

// Newf returns an error of a kind with a formatted message: Newf(Corrupt, "frame has %d bytes", n)
// prints "corrupt data: frame has 4096 bytes". The error wraps the kind, and the operand of a %w in
// the format.
func Newf(kind error, format string, args ...any) error {
	return &detail{kind, fmt.Errorf(format, args...)}
}

type detail struct{ kind, err error }

func (d *detail) Error() string   { return d.kind.Error() + ": " + d.err.Error() }
func (d *detail) Unwrap() []error { return []error{d.kind, d.err} }

func writeCause(b *strings.Builder, kind, err error) {
	if kind != nil {
		b.WriteString(": ")
		b.WriteString(kind.Error())
	}
	if err != nil {
		b.WriteString(": ")
		b.WriteString(err.Error())
	}
}

func both(kind, err error) []error {
	switch {
	case kind == nil && err == nil:
		return nil
	case kind == nil:
		return []error{err}
	case err == nil:
		return []error{kind}
	}
	return []error{kind, err}
}
