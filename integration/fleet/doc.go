// Package fleet tests many processes that overload one bucket. The server implements as much of S3
// as reads need, accepts a limited number of requests per second and throttles the others as S3
// does. The processes do not know of each other, or know only their number.
//
// The package contains only tests. zarr/store/limit tests the same with simulated time, for more
// processes and other services.
package fleet
