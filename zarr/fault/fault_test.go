package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
)

func TestErrorsKeepKindAndCause(t *testing.T) {
	tests := []struct {
		name string
		err  error
		is   []error
		text string
	}{
		{"kind with a message", fault.Newf(fault.Corrupt, "frame says %d bytes: %w", 4096, io.ErrUnexpectedEOF),
			[]error{fault.Corrupt, io.ErrUnexpectedEOF}, "corrupt data: frame says 4096 bytes: unexpected EOF"},
		{"key with kind and cause", &fault.KeyError{Op: "get", Store: "s3://b", Key: "c/0", Kind: fault.Throttled, Err: io.EOF},
			[]error{fault.Throttled, io.EOF}, `get "c/0" in s3://b: throttled: EOF`},
		{"key with a kind alone", &fault.KeyError{Op: "put", Key: "c/0", Kind: fault.Exists}, []error{fault.Exists}, `put "c/0": exists already`},
		{"key with a cause alone", &fault.KeyError{Op: "list", Err: context.Canceled}, []error{context.Canceled}, `list "": context canceled`},
		{"key with nothing", &fault.KeyError{Op: "get", Key: "k"}, nil, `get "k"`},
		{"unsupported", &fault.KeyError{Op: "get", Key: "k", Kind: errors.ErrUnsupported}, []error{errors.ErrUnsupported}, `get "k": unsupported operation`},
		{"chunk", &fault.ChunkError{Op: "read", Path: "t", Key: "t/c/3/0", Coord: []int{3, 0}, Err: fault.Corrupt},
			[]error{fault.Corrupt}, `read "t" chunk [3 0] (t/c/3/0): corrupt data`},
		{"member", &fault.MetaError{Key: "t/zarr.json", Pointer: "/shape/0", Err: fault.Metadata}, []error{fault.Metadata}, "t/zarr.json at /shape/0: invalid metadata"},
		{"document", &fault.MetaError{Key: "t/zarr.json", Err: fault.Metadata}, []error{fault.Metadata}, "t/zarr.json: invalid metadata"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wrapped := fmt.Errorf("outer: %w", tt.err)
			for _, is := range tt.is {
				if !errors.Is(wrapped, is) {
					t.Errorf("%v is not %v", wrapped, is)
				}
			}
			if errors.Is(wrapped, fault.NotFound) || errors.Is(wrapped, fault.Refused) {
				t.Error("matches a kind it does not have")
			}
			if tt.err.Error() != tt.text {
				t.Errorf("says %q, want %q", tt.err, tt.text)
			}
		})
	}
}

func ExampleKeyError() {
	err := fmt.Errorf("zarr: open: %w", &fault.KeyError{Op: "get", Store: "s3://era5", Key: "t2m/zarr.json", Kind: fault.Refused})
	var where *fault.KeyError
	fmt.Println(errors.Is(err, fault.Refused), errors.As(err, &where), where.Key)
	// Output: true true t2m/zarr.json
}

// TestRefusals checks that the more specific kinds are Refused too, and that Refused is none of
// them.
func TestRefusals(t *testing.T) {
	all := []error{fault.NoBucket, fault.NoCredentials, fault.Unauthenticated, fault.Denied}
	for _, k := range all {
		err := fmt.Errorf("outer: %w", &fault.KeyError{Op: "get", Key: "k", Err: fault.Newf(k, "says the server")})
		if !errors.Is(err, k) || !errors.Is(err, fault.Refused) || errors.Is(fault.Refused, k) {
			t.Errorf("%v", err)
		}
		for _, other := range all {
			if other != k && errors.Is(err, other) {
				t.Errorf("%v is %v as well", err, other)
			}
		}
	}
	for _, k := range []error{fault.NotFound, fault.Full, fault.Limit, fault.Unavailable} {
		if errors.Is(k, fault.Refused) {
			t.Errorf("%v is refused", k)
		}
	}
}

type withID struct{ error }

func (withID) RequestID() string { return "17" }

func TestRequestID(t *testing.T) {
	if id := fault.RequestID(fmt.Errorf("outer: %w", &fault.KeyError{Err: withID{io.EOF}})); id != "17" {
		t.Errorf("%q", id)
	}
	if id := fault.RequestID(io.EOF); id != "" {
		t.Errorf("%q", id)
	}
}
