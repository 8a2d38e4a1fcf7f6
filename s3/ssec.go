package s3

// customerKeyHeader holds the key of SSE-C itself.
const customerKeyHeader = "X-Amz-Server-Side-Encryption-Customer-Key"
