// Command lambda is an AWS Lambda function that returns one region of an array as JSON.
//
//	event   {"region": "0:24,90,180"}
//	answer  {"shape": [24,1,1], "dtype": "float32", "values": [271.3, …]}
//
// ARRAY_URL names the array: s3://bucket/path/to/array?region=eu-central-1, or a directory. It is
// not part of the event, because callers could then read everything that the function's role may
// read. The array is opened once, while Lambda starts the function, and shared by all calls.
//
// ARRAY_METADATA is optional and contains the text of the array's zarr.json. With it a cold start
// makes no request, and the first call waits only for chunks. Use it for arrays whose metadata does
// not change: reads use this text instead of the stored document.
//
// A call stops shortly before the function's timeout and returns an error with the cause. The
// library uses up to a quarter of the function's memory, GOMEMLIMIT or
// AWS_LAMBDA_FUNCTION_MEMORY_SIZE, for bytes in flight.
//
//	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -tags lambda.norpc -trimpath -ldflags='-s -w' -o bootstrap ./examples/lambda
//	zip function.zip bootstrap      # runtime provided.al2023, architecture arm64
//	go run ./examples/internal/measure      # prints this program's size and how fast it starts
//
// The role needs s3:GetObject on the array, and nothing else if every chunk is stored. See
// docs/tasks/s3.md for the other permissions.
//
// github.com/aws/aws-lambda-go is Lambda's own runtime for Go. It adds 0.5 MB with the tag
// lambda.norpc and depends only on the standard library. Only this program links it.
package main
