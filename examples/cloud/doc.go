// Command cloud does what quickstart does, in a bucket: it creates an array under a name of its
// own, writes it in parallel by regions, opens it again, reads it in parallel by regions, checks
// every value, prints what that took, and removes it.
//
//	go run ./examples/cloud 's3://bucket/folder?region=eu-central-1'
//	go run ./examples/cloud 'gs://bucket/folder'
//	go run ./examples/cloud 'azblob://container/folder?storage_account=account'
//	go run ./examples/cloud -mib 256 's3://bucket?endpoint=http://localhost:7070&use_path_style=true&region=us-east-1'
//	go run ./examples/cloud /tmp/data.zarr
//
// Credentials come from where the provider's own tools take them. It ends with status 1 when any
// value is wrong.
package main
