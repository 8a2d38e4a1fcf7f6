// Command cloud runs the job of quickstart in a bucket. It creates an array under a unique name,
// writes it in parallel by regions, opens it again, reads it in parallel by regions and checks
// every value. Then it prints the time and the requests of each pass, and removes the array.
//
//	go run ./examples/cloud 's3://bucket/folder?region=eu-central-1'
//	go run ./examples/cloud 'gs://bucket/folder'
//	go run ./examples/cloud 'azblob://container/folder?storage_account=account'
//	go run ./examples/cloud -mib 256 's3://bucket?endpoint=http://localhost:7070&use_path_style=true&region=us-east-1'
//	go run ./examples/cloud /tmp/data.zarr
//
// It finds credentials where the provider's own tools find them. It exits with status 1 if any
// value is wrong.
package main
