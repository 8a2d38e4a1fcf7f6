// Command lambda is an AWS Lambda function that returns one region of an array as JSON.
//
//	event   {"region": "0:24,90,180"}
//	answer  {"shape": [24,1,1], "dtype": "float32", "values": [271.3, …]}
//
// The environment variable ARRAY_URL names the array:
// s3://bucket/path/to/array?region=eu-central-1, or a directory. The URL is not part of the event,
// because callers could then read everything that the function's role may read. The array is opened
// once, while Lambda starts the function, and shared by all calls.
//
// The optional variable ARRAY_METADATA contains the text of the array's zarr.json, which is used
// instead of the stored document. A cold start then sends no request, and the first call waits only
// for chunks. Set the variable only for arrays whose metadata does not change.
//
// A call stops shortly before the function's timeout and returns an error with the cause. For bytes
// in flight, the library uses up to a quarter of the function's memory, which it reads from
// GOMEMLIMIT or AWS_LAMBDA_FUNCTION_MEMORY_SIZE.
//
//	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -tags lambda.norpc,grpcnotrace,nethttpomithttp2 -trimpath -ldflags='-s -w' -o bootstrap ./examples/lambda
//	zip function.zip bootstrap      # runtime provided.al2023, architecture arm64
//	go run ./examples/internal/measure      # prints this program's size and how fast it starts
//
// If every chunk is stored, the role needs only s3:GetObject on the array. See docs/tasks/s3.md for
// other permissions.
//
// The tag grpcnotrace leaves out gRPC's traces, 11 MB, and nethttpomithttp2 leaves out HTTP/2, 0.3
// MB: see docs/tuning.md.
//
// github.com/aws/aws-lambda-go is Lambda's own runtime for Go. With the tag lambda.norpc it adds
// 0.5 MB. It depends only on the standard library. Only this program of the module links it.
package main
