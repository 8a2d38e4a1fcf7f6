package zarr_test

import (
	"testing"

	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
)

type transcript = zarrtest.Transcript

var (
	mustCreate         = zarrtest.Create
	count              = zarrtest.Count
	forest             = zarrtest.Forest
	paths              = zarrtest.Paths
	differences        = zarrtest.Differences
	consolidatedForest = zarrtest.ConsolidatedForest
	mustGet            = zarrtest.Bytes
	unsay              = zarrtest.Unsay
	get                = zarrtest.Get
	put                = zarrtest.Put
	mustOpen           = zarrtest.Open
	stores             = zarrtest.Stores
)

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustRead[T any](t *testing.T, a *zarr.Array, sel ...zarr.Selection) []T {
	t.Helper()
	v, err := zarr.Read[T](t.Context(), a, sel...)
	succeed(t, err)
	return v
}
