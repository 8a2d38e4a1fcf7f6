// Package fleet has many real processes use one bucket that is full. The server is one of its own,
// which speaks as much of S3 as reads take, takes a number of requests in a second and refuses the
// others as S3 does. The processes know nothing of each other, or their number alone.
//
// The package has tests only. zarr/store/limit has the same with simulated time, for more processes
// and other services.
package fleet
