// Package bucket provides each test with an unused prefix of a bucket on a server, or a directory
// that a web server serves.
//
//	url := bucket.URL(t)              // s3://zarr-test/test-4f2a…?endpoint=http://127.0.0.1:9000&…
//	st := bucket.Open(t, url)
//	url := bucket.GCS().URL(t)        // the same elsewhere: see All
//	site := bucket.NewSite(t)         // site.Dir is read at site.URL
//
// The servers are configured by environment variables. ZARR_TEST_S3_URL, ZARR_TEST_MINIO_URL,
// ZARR_TEST_GCS_URL and ZARR_TEST_AZURE_URL contain the URL with the parameters for Open, so they
// may also name a bucket in the cloud. ZARR_TEST_HTTP_URL and ZARR_TEST_HTTP_DIR configure the web
// server. Each client finds its own credentials, for example in AWS_*. If the variable of a server
// is not set, its tests are skipped. If CI=true they fail, so that a missing server does not look
// like a success. MinIO is required only if ZARR_TEST_SERVERS names it.
//
// The functions must be called by the goroutine that runs the test.
package bucket
