// Command lambda is an AWS Lambda function that answers with one region of an array, as JSON.
//
//	event   {"region": "0:24,90,180"}
//	answer  {"shape": [24,1,1], "dtype": "float32", "values": [271.3, …]}
//
// ARRAY_URL names the array: s3://bucket/path/to/array?region=eu-central-1, or a directory. It is
// no part of the event: whoever may call the function could else read whatever its role may. The
// array is opened once, while Lambda starts the function, and shared by all calls.
//
// ARRAY_METADATA, which may be left out, is the text of the array's zarr.json. With it a cold start
// sends no request, and the first call waits for chunks alone. It is for arrays whose metadata does
// not change: what is read is read by it.
//
// A call stops shortly before the function's timeout, so that the error says what it was. The
// library takes the bytes it holds in flight from the function's memory, GOMEMLIMIT or
// AWS_LAMBDA_FUNCTION_MEMORY_SIZE: a quarter.
//
//	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -tags lambda.norpc -trimpath -ldflags='-s -w' -o bootstrap ./examples/lambda
//	zip function.zip bootstrap      # runtime provided.al2023, architecture arm64
//	go run ./examples/internal/measure      # prints this program's size and how fast it starts
//
// The role needs s3:GetObject on the array, and nothing else if every chunk is stored;
// docs/how-to/s3.md has the rest.
//
// github.com/aws/aws-lambda-go is Lambda's own runtime for Go. It weighs 0.5 MB with the tag
// lambda.norpc, needs nothing but the standard library, and only this program links it.
package main
