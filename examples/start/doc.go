// Command start creates an array of daily temperatures, writes January and reads five days of one
// point.
//
//	go run ./examples/start weather.zarr
//	go run ./examples/start 's3://bucket/weather.zarr?region=eu-central-1'
//
// The URL is a directory, or s3://, gs:// or azblob://. The program may be run again. It is shown
// in docs/start.md.
package main
