// Command cloudrun is a Cloud Run service that returns one region of an array as JSON.
//
//	GET /?region=0:24,90,180    {"shape": [24,1,1], "dtype": "float32", "values": [271.3, …]}
//
// ARRAY_URL names the array, gs://bucket/path/to/array or a directory. PORT, which Cloud Run sets,
// is the port to listen on. The array is opened once and shared by all requests; Cloud Run sends an
// instance up to 80 concurrent requests. After a SIGTERM, requests in flight are completed. The
// library uses up to a quarter of the container's memory for bytes in flight.
//
//	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags='-s -w' -o server ./examples/cloudrun
//	printf 'FROM gcr.io/distroless/static\nCOPY server /\nENTRYPOINT ["/server"]\n' > Dockerfile
//	go run ./examples/internal/measure      # prints this program's size and how fast it starts
//
// The service account needs storage.objects.get on the array, and nothing else if every chunk is
// stored. See docs/tasks/gcs.md for the other permissions. Statuses: 400 for an invalid region,
// 413 for one that is too large, 503 if the bucket throttles, 504 after 30 s.
//
// Cloud Run only requires a program that listens on PORT, so net/http suffices. Google's functions
// framework for Go (functions-framework-go v1.9.2) was tried and rejected. The smallest program
// with it has 7.8 MB instead of 5.8. It adds nine modules, including the CloudEvents SDK and a zap
// of 2019, and its Start cannot complete requests in flight after a SIGTERM. The handler is an
// http.Handler, so it can also be registered there unchanged.
package main
