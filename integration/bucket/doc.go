// Package bucket gives a test a place of its own on a server: a prefix of a bucket, or a folder
// that a web server serves.
//
//	url := bucket.URL(t)              // s3://zarr-test/test-4f2a…?endpoint=http://127.0.0.1:9000&…
//	st := bucket.Open(t, url)
//	url := bucket.GCS().URL(t)        // the same elsewhere: see All
//	site := bucket.NewSite(t)         // site.Dir is read at site.URL
//
// Which server that is, is said by variables of the environment: ZARR_TEST_S3_URL,
// ZARR_TEST_MINIO_URL, ZARR_TEST_GCS_URL and ZARR_TEST_AZURE_URL with the parameters that Open
// takes, so they may as well name a bucket in the cloud; ZARR_TEST_HTTP_URL with
// ZARR_TEST_HTTP_DIR. Credentials are where each client looks for them, as AWS_*. Without the
// variable a test is skipped, or fails when CI=true: a server that should be there and is not must
// not pass for a success. MinIO alone has to be asked for.
//
// The functions are for the goroutine that runs the test.
package bucket
