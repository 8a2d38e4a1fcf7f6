// Command cloudrun is a Cloud Run service that answers with one region of an array, as JSON.
//
//	GET /?region=0:24,90,180    {"shape": [24,1,1], "dtype": "float32", "values": [271.3, …]}
//
// ARRAY_URL names the array, gs://bucket/path/to/array or a directory, and PORT, which Cloud Run
// sets, where to listen. The array is opened once and shared by all requests, of which Cloud Run
// sends an instance 80 at once. After a SIGTERM those under way are answered. The library takes the
// bytes it holds in flight from the container's memory: a quarter.
//
//	CGO_ENABLED=0 GOOS=linux go build -trimpath -ldflags='-s -w' -o server ./examples/cloudrun
//	printf 'FROM gcr.io/distroless/static\nCOPY server /\nENTRYPOINT ["/server"]\n' > Dockerfile
//	go run ./examples/internal/measure      # prints this program's size and how fast it starts
//
// The service account needs storage.objects.get on the array, and nothing else if every chunk is
// stored; docs/how-to/gcs.md has the rest. Statuses: 400 for a region that does not fit, 413 for
// one that is too large, 503 when the bucket throttles, 504 after 30 s.
//
// Cloud Run's contract is a program that listens on PORT, and net/http is all it takes. Google's
// functions framework for Go (functions-framework-go v1.9.2) was tried and left out: the smallest
// program with it is 7.8 MB instead of 5.8, it brings nine modules, among them the CloudEvents SDK
// and a zap of 2019, and its Start has no way to end the requests under way on a SIGTERM. The
// handler is an http.Handler, so it can be registered there as it is.
package main
