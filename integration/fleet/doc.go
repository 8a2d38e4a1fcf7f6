// Package fleet tests many processes that overload one bucket. The server implements the part of S3
// that reads need, accepts a limited number of requests per second, and throttles the others like
// S3. Some processes do not know of the others. Some know only the number of processes. A MinIO
// that serves few requests at the same time is read as well, because it requests a wait of a minute
// with each refusal.
//
// The package contains only tests. zarr/store/limit tests the same with simulated time, for more
// processes and other services.
package fleet
