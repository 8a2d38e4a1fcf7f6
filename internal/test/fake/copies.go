package fake

import (
	"context"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// CopyConditions checks the results of conditions on both objects of a copy, and that a copy is one
// request. The bucket contains "a" and "b" with the versions va and vb.
func CopyConditions(t *testing.T, srv *Server, va, vb store.Version, send func(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error)) {
	t.Helper()
	for _, tt := range []struct {
		from, to string
		o        store.CopyOptions
		want     error
	}{
		{"a", "b", store.CopyOptions{IfAbsent: true}, fault.Exists},
		{"a", "b", store.CopyOptions{IfAbsent: true, FromVersion: va}, fault.Exists},
		{"a", "c", store.CopyOptions{IfAbsent: true, FromVersion: vb}, fault.Conflict},
		{"a", "b", store.CopyOptions{FromVersion: vb}, fault.Conflict},
		{"a", "b", store.CopyOptions{IfVersion: va}, fault.Conflict},
		{"a", "c", store.CopyOptions{IfVersion: va}, fault.Conflict},
		{"c", "b", store.CopyOptions{IfVersion: vb}, fault.NotFound},
		{"c", "b", store.CopyOptions{}, fault.NotFound},
		{"a", "b", store.CopyOptions{IfVersion: vb, FromVersion: va}, nil},
		{"a", "c", store.CopyOptions{IfAbsent: true}, nil},
	} {
		srv.Requests()
		if _, err := send(t.Context(), tt.from, tt.to, tt.o); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
			t.Errorf("%s to %s, %+v: %v", tt.from, tt.to, tt.o, err)
		}
		if n := len(srv.Requests()); tt.want == nil && n != 1 {
			t.Errorf("%d requests for a copy", n)
		}
	}
}

// CopyUnsupported checks that conditions on the destination are not sent to a server that may
// ignore them, and that a copy on the condition of the version of "a" is sent.
func CopyUnsupported(t *testing.T, srv *Server, s store.Store, version store.Version) {
	t.Helper()
	for _, o := range []store.CopyOptions{{IfAbsent: true}, {IfVersion: "7"}} {
		if _, err := store.Copy(t.Context(), s, "a", "b", o); !errors.Is(err, errors.ErrUnsupported) || len(srv.Requests()) != 0 {
			t.Errorf("%+v: %v, or a request", o, err)
		}
	}
	if _, err := store.Copy(t.Context(), s, "a", "b", store.CopyOptions{FromVersion: version}); err != nil {
		t.Error(err)
	}
}
