// Command zargo inspects, reads and writes Zarr arrays in directories and in object stores.
//
//	zargo create weather.zarr/t2m --shape 365,180,360 --chunks 10,180,360 --dtype float32
//	zargo put weather.zarr/t2m --sel 0:31 january.npy
//	zargo info weather.zarr/t2m
//	zargo cat 's3://bucket/weather.zarr/t2m?region=eu-central-1' --sel 0:31,90,180 --format csv
//
// docs/reference/cli.md documents all commands. Method run of type program is the whole program. It
// is safe for concurrent use, and the tests call it in process. Type cli lists the commands, which
// the packages below internal implement. They know package session, which knows no command.
package main
