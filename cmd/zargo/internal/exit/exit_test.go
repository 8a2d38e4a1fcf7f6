package exit

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestExitCode(t *testing.T) {
	for _, r := range []struct {
		name string
		err  error
		code int
	}{
		{"none", nil, 0},
		{"any", errors.New("x"), 1},
		{"type", fault.Type, 1},
		{"usage", Usagef("x"), 2},
		{"URL", &openurl.SyntaxError{Text: "x"}, 2},
		{"s3 URL", &s3.UsageError{Text: "x"}, 2},
		{"selection", fault.Selection, 2},
		{"not found", fault.NotFound, 3},
		{"metadata", fault.Metadata, 4},
		{"path", fault.Path, 4},
		{"corrupt", fault.Corrupt, 5},
		{"unsupported", errors.ErrUnsupported, 6},
		{"limit", fault.Limit, 7},
		{"refused", fault.Refused, 8},
		{"throttled", fault.Throttled, 9},
		{"unavailable", fault.Unavailable, 9},
		{"timeout", Timeout(time.Second), 9},
		{"exists", fault.Exists, 10},
		{"conflict", fault.Conflict, 11},
		{"read-only", fault.ReadOnly, 12},
		{"differs", ErrDiffers, 14},
		{"interrupted", ErrInterrupted, 130},
		{"terminated", ErrTerminated, 143},
		{"wrapped", At("u", fmt.Errorf("x: %w", &fault.KeyError{Kind: fault.Refused})), 8},
		{"joined", errors.Join(errors.New("x"), fault.Limit), 7},
		{"outermost wins", fault.Newf(fault.Conflict, "written since: %w", fault.Exists), 11},
		{"chunk", &fault.ChunkError{Err: fault.Newf(fault.Corrupt, "x")}, 5},
		{"document", &fault.MetaError{Err: fault.Newf(errors.ErrUnsupported, "x")}, 6},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got := Code(r.err); got != r.code {
				t.Errorf("%v is %d, want %d", r.err, got, r.code)
			}
		})
	}
}

// TestEveryKindHasACode checks that every kind of error has an exit code in the table, except Type
// and Unchanged, which no command can return.
func TestEveryKindHasACode(t *testing.T) {
	for _, k := range []error{fault.NotFound, fault.Exists, fault.Conflict, fault.ReadOnly, fault.Selection, fault.Metadata, fault.Path,
		fault.Corrupt, fault.Refused, fault.Throttled, fault.Unavailable, fault.Limit, errors.ErrUnsupported} {
		if Code(k) == 1 {
			t.Errorf("%v has no code", k)
		}
	}
}
