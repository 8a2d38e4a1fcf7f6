package zarr_test

import "github.com/zargo-io/zargo/internal/test/zarrtest"

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
