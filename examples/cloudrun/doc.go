// Command cloudrun is a Cloud Run service that returns one region of an array as JSON.
//
//	GET /?region=0:24,90,180    {"shape": [24,1,1], "dtype": "float32", "values": [271.3, …]}
//
// The environment variable ARRAY_URL names the array: gs://bucket/path/to/array or a directory. The
// variable PORT, which Cloud Run sets, is the port to listen on. The array is opened once and
// shared by all requests. Cloud Run sends up to 80 concurrent requests to an instance. After a
// SIGTERM, requests in flight are completed. The library uses up to a quarter of the container's
// memory for bytes in flight.
//
//	CGO_ENABLED=0 GOOS=linux go build -tags grpcnotrace,disable_grpc_modules,nethttpomithttp2 -trimpath -ldflags='-s -w' -o server ./examples/cloudrun
//	printf 'FROM gcr.io/distroless/static\nCOPY server /\nENTRYPOINT ["/server"]\n' > Dockerfile
//	go run ./examples/internal/measure      # prints this program's size and how fast it starts
//
// The tags leave out parts of gRPC and HTTP/2 that the program does not use, 18 MB: see
// docs/tuning.md.
//
// If every chunk is stored, the service account needs only storage.objects.get on the array. See
// docs/tasks/gcs.md for other permissions. The status of a failed request is 400 for an invalid
// region, 413 for a region that is too large, 503 if the bucket throttles, and 504 after 30 s.
//
// Cloud Run only requires a program that listens on PORT, so net/http suffices. Google's functions
// framework for Go (functions-framework-go v1.9.2) was tried and rejected. With the framework, the
// smallest program has 7.8 MB instead of 5.8. The framework adds nine modules, including the
// CloudEvents SDK and a version of zap from 2019, and its Start cannot complete requests in flight
// after a SIGTERM. The handler of this program is an http.Handler, so it can also be used with the
// framework.
package main
