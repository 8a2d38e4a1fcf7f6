package store_test

import (
	"math"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
)

func TestAmount(t *testing.T) {
	a, b := store.Amount{Gets: 1, Puts: 2, Lists: 3, BytesRead: 4, BytesWritten: math.MaxInt64}, store.Amount{Gets: 10, Puts: 20, Lists: 30, BytesRead: 40, BytesWritten: 50}
	want := store.Amount{Gets: 11, Puts: 22, Lists: 33, BytesRead: 44, BytesWritten: math.MaxInt64}
	if got := a.Add(b); got != want || got.Requests() != 66 {
		t.Errorf("%+v, %d requests, want %+v", got, got.Requests(), want)
	}
	a.BytesWritten = 5
	if got := a.Add(b).Sub(a); got != b {
		t.Errorf("%+v, want %+v", got, b)
	}
}
