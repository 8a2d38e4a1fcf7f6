// Package rehearsal provides a store for dry runs. A command that uses the store sends all reads of
// a run, and no request that changes the store below. A counter above the store counts the requests
// that the run itself would send.
//
//	dry := rehearsal.New(user)
//	st, _ := zarr.WithReport(&report).Count(dry)
//	_, err := zarr.Append(ctx, open(st), 0, rows, zarr.AppendOptions{})
//
// Written values are kept in memory. The package is for documents, labels and claims. Plans of
// writes count the requests of other chunks. The keys of many deleted objects are only counted.
package rehearsal
