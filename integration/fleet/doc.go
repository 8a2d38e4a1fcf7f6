// Package fleet tests many processes that overload one bucket. The server implements the part of S3
// that reads need, accepts a limited number of requests per second, and throttles the others like
// S3. The processes do not know of each other, or know only their number.
//
// The package contains only tests. zarr/store/limit tests the same with simulated time, for more
// processes and other services.
package fleet
