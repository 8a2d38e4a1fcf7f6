// Package serve serves Zarr datasets over HTTP.
//
//	s, err := serve.New(serve.Options{}, serve.Dataset{ID: "era5", Store: st})
//	mux.Handle("/", s)
//
// A [Server] is an http.Handler with these paths. Those of a dataset are the paths of Xpublish.
//
//	/                           a page that draws variables
//	/datasets                   the IDs, as a JSON list
//	/datasets/ID/               the dataset as text
//	/datasets/ID/zarr/KEY       the value of a key, as it is stored
//	/datasets/ID/zarr/PREFIX/   the members of a prefix, as a page of links
//	/datasets/ID/zarr/?list     the keys below a prefix, as JSON
//	/datasets/ID/keys           the names of the variables and coordinates
//	/datasets/ID/dict           the dataset, as xarray's to_dict(data=False)
//	/datasets/ID/info           the dataset, in the form of Xpublish
//	/datasets/ID/point          elements of variables: JSON, CSV, npy
//	/datasets/ID/slice          the same, and pictures
//	/datasets/ID/stats          statistics of a variable, and a histogram
//	/datasets/ID/position       elements nearest to points, as OGC API EDR has it
//	/datasets/ID/area           elements within a polygon
//	/datasets/ID/tiles/Z/X/Y    tiles of a variable, as PNG
//	/datasets/ID/views/NAME/zarr/KEY
//
// # Values
//
// A value is sent as it is stored, in pieces, so that long values need little memory. Its ETag is
// the version of the store. GET and HEAD honour Range, If-Match, If-None-Match and If-Range (RFC
// 9110). A request with several ranges gets the whole value. A store without versions sends no
// ETags.
//
// With Options.Writable, PUT and DELETE change values, but only on a condition: If-None-Match: * or
// If-Match with an ETag. A request without a condition gets status 428, and one whose condition does
// not hold gets 412. Of several clients that change one value at the same time, one succeeds.
//
// # Selections
//
// The parameter var of point and slice names variables. Parameters with the name of a dimension are
// texts for dataset.Text, sel is a text for dataset.Parse, and isel a position, such as time=3. JSON
// has the form of xarray's Dataset.to_dict, with null for missing values. Elements are read and sent
// in bounded memory. Options.Formats adds formats of other packages.
//
// The queries position and area of OGC API - Environmental Data Retrieval send CoverageJSON. The
// longitudes and latitudes must be index coordinates. An element more than half of the distance
// between two coordinates away from a point is not nearest to it: the point is beside the data.
//
// # Errors
//
// Errors are JSON objects with the member "error". Only a proven absence is 404. If the source fails,
// the status is 502, 503 or 504. Responses never contain the address, the credentials or the error
// text of a source; the log has them.
//
// # Limits
//
// [Limits] bound each request: the time, the requests to the source and their bytes. Requests that
// are known to exceed them get status 413 before any request is sent to the source. A request waits
// while [Limits.Concurrent] others run. Bodies in flight reserve memory in a budget.
//
// # Concurrency
//
// A Server is safe for concurrent use. When a client disconnects, its requests to the source are
// cancelled. [Server.Serve] and [Server.Close] end when all requests have ended.
package serve
