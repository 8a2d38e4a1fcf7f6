// Command mean prints the mean of a slice of an array: the elements from one index to another along
// the first dimension.
//
//	go run ./examples/mean -to 31 weather.zarr/t2m
//	go run ./examples/mean -to 31 's3://bucket/weather.zarr/t2m?region=eu-central-1'
//
// The URL is a directory, or s3://, gs://, azblob:// or https://. The array may have any data type
// that converts to float64. README.md and docs/start.md show this program.
package main
