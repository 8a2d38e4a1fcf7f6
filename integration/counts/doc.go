// Package counts compares the requests that the command reports with -v to those that an S3 server
// counts.
package counts
