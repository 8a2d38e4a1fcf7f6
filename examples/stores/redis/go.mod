module github.com/zargo-io/zargo/examples/stores/redis

go 1.26.0

require (
	github.com/redis/go-redis/v9 v9.23.0
	github.com/zargo-io/zargo v0.0.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/maypok86/otter/v2 v2.4.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/zargo-io/zargo => ../../..
