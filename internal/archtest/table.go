package archtest

import "strings"

// Rule lists the allowed imports of one package, or of all packages below a path. Paths are
// relative to the module; "a/..." matches a and everything below it.
type Rule struct {
	Package  string
	Own      []string // packages of this module
	External []string // modules, by prefix; the standard library is allowed, but see Pure
	Pure     bool     // no I/O: must not directly import context, net, os, or packages below these
}

// Table returns the rules. The first rule that matches a package applies. A package without a rule
// is an error.
func Table() []Rule {
	const (
		compress = "github.com/klauspost/compress"
		lz4      = "github.com/pierrec/lz4/v4"
		gocloud  = "gocloud.dev"
	)
	return []Rule{
		{Package: "zarr/fault", Pure: true},
		{Package: "zarr/store", Own: []string{"zarr/fault", "internal/pages"}},
		{Package: "zarr/store/mem", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "zarr/store/dir", Own: []string{"zarr/fault", "zarr/store", "internal/sentparts"}},
		{Package: "zarr/store/storetest", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/bucketcheck", Own: []string{"internal/damaged", "zarr/fault", "zarr/store", "concurrency"}},
		{Package: "internal/lzma", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "zarr/store/zip", Own: []string{"internal/lzma", "zarr/fault", "zarr/store"}, External: []string{compress}},
		{Package: "zarr/store/http", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/exact", "internal/provider"}},
		{Package: "zarr/store/retry", Own: []string{"zarr/fault", "zarr/store", "concurrency", "internal/pages"}},
		{Package: "zarr/store/limit", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "zarr/store/large", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "zarr/store/hedge", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},

		{Package: "zarr/rule", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "zarr/dtype", Own: []string{"zarr/fault", "internal/jsontext"}, Pure: true},
		{Package: "zarr/meta", Own: []string{"internal/claim", "zarr/fault", "zarr/rule", "zarr/dtype"}, Pure: true},
		{Package: "zarr/codec/internal/number", Own: []string{"zarr/fault", "zarr/dtype"}, Pure: true},
		{Package: "zarr/codec/internal/msgpack", Own: []string{"zarr/fault", "internal/jsontext"}, Pure: true},
		{Package: "zarr/codec/internal/stream", Pure: true},
		{Package: "zarr/codec/internal/lz4hc", External: []string{lz4}, Pure: true}, // its tests use the reference implementation
		{Package: "zarr/codec/internal/lz4fast", External: []string{lz4}, Pure: true},
		{Package: "zarr/codec/internal/zst", Own: []string{"zarr/fault"}, External: []string{compress}, Pure: true},
		{Package: "zarr/codec/internal/...", Own: []string{"zarr/fault", "zarr/codec/internal/stream"}, External: []string{compress}, Pure: true},
		{Package: "zarr/codec/blosc", Own: []string{"zarr/fault", "zarr/codec/internal/..."}, External: []string{compress, lz4}, Pure: true},
		{Package: "zarr/codec", Own: []string{"internal/lzma", "zarr/fault", "zarr/rule", "zarr/dtype", "zarr/codec/blosc", "zarr/codec/internal/...", "internal/grid", "internal/jsontext", "internal/similar"}, External: []string{lz4}, Pure: true},
		{Package: "zarr/codec/zfp", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec"}, Pure: true},
		{Package: "zarr/codec/pcodec", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec"}, Pure: true},
		{Package: "zarr/codec/optional", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec"}, Pure: true},
		{Package: "zarr/codec/codectest", Own: []string{"zarr/fault", "zarr/rule", "zarr/dtype", "zarr/codec"}, Pure: true},

		{Package: "internal/similar", Pure: true},
		{Package: "internal/grid", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/chunkkeys", Own: []string{"internal/claim", "zarr/meta"}, Pure: true},
		{Package: "internal/exact", Own: []string{"zarr/fault"}},
		{Package: "internal/damaged"},
		{Package: "internal/pages", Pure: true},
		{Package: "internal/overlay", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/rehearsal", Own: []string{"zarr/fault", "zarr/store", "zarr/store/mem"}},
		{Package: "internal/sentparts", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/listed", Own: []string{"internal/chunkkeys", "zarr/fault", "zarr/meta", "zarr/store"}},
		{Package: "internal/unread", Own: []string{"concurrency", "internal/jsontext", "zarr/fault", "zarr/store"}},
		{Package: "internal/rechunk", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/pipeline", Own: []string{"zarr/fault", "zarr/codec", "zarr/dtype", "internal/grid"}, Pure: true},
		{Package: "internal/plan", Own: []string{"zarr/fault", "zarr/codec", "zarr/dtype", "zarr/store", "internal/grid", "internal/pipeline"}, Pure: true},
		{Package: "internal/callslots", Own: []string{"concurrency", "zarr/store"}},
		{Package: "internal/engine", Own: []string{"internal/account", "internal/assemble", "internal/callslots", "internal/chunkcache", "zarr/fault", "zarr/store", "zarr/codec", "concurrency", "internal/grid", "internal/pipeline", "internal/plan", "internal/written"}},
		{Package: "internal/assemble", Own: []string{"zarr/fault", "zarr/store", "zarr/codec", "concurrency", "internal/pipeline", "internal/plan"}},
		{Package: "internal/jsontext", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/bytesview", Own: []string{"zarr/dtype"}, Pure: true},
		{Package: "internal/hugepages"},
		{Package: "internal/npy", Own: []string{"zarr/fault", "zarr/dtype"}, Pure: true},
		{Package: "internal/provider", Own: []string{"internal/exact", "zarr/fault", "zarr/store", "zarr/store/retry", "zarr/store/limit", "zarr/store/hedge", "zarr/store/large", "concurrency"}},
		{Package: "internal/provider/fake", Own: []string{"zarr", "zarr/fault", "zarr/dtype", "zarr/codec", "zarr/store", "zarr/store/mem", "zarr/store/retry"}},
		{Package: "internal/provider/fake/wrapped", Own: []string{"zarr/store"}, External: []string{gocloud}},
		{Package: "internal/zarrtest", Own: []string{"zarr", "zarr/upkeep", "zarr/fault", "zarr/dtype", "zarr/store", "zarr/store/mem", "zarr/store/dir"}},
		{Package: "internal/tables", Own: []string{"zarr/...", "blob", "s3", "gcs", "azure", "internal/lengths"}, External: []string{gocloud}},
		{Package: "internal/lengths", Pure: true},
		{Package: "internal/race", Pure: true},
		{Package: "internal/archtest"},
		{Package: "internal/doctest"},
		{Package: "internal/archtest/draw", Own: []string{"internal/archtest"}},

		{Package: "concurrency", Own: []string{"zarr/fault", "internal/hugepages"}, External: []string{"golang.org/x/sync"}},
		{Package: "internal/written", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "internal/chunkcache", Own: []string{"internal/written", "zarr/store", "zarr/codec", "concurrency"}, External: []string{"github.com/maypok86/otter/v2"}},
		{Package: "zarr/cache", Own: []string{"zarr/store", "internal/chunkcache"}},
		{Package: "internal/account", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/claim", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/document", Own: []string{"internal/account", "internal/claim", "zarr/fault", "zarr/store", "zarr/meta", "concurrency"}},
		{Package: "internal/arrayspec", Own: []string{"zarr/fault", "zarr/codec", "zarr/dtype", "zarr/meta", "internal/grid", "internal/pipeline"}, Pure: true},
		{Package: "internal/hierarchy", Own: []string{"internal/account", "internal/arrayspec", "internal/claim", "internal/document", "internal/pipeline", "internal/written", "zarr/fault", "zarr/rule", "zarr/store", "zarr/dtype", "zarr/meta", "zarr/codec", "concurrency"}},
		{Package: "internal/grow", Own: []string{"internal/account", "internal/arrayspec", "internal/claim", "internal/document", "internal/engine", "internal/grid", "zarr/fault", "zarr/meta", "zarr/store", "concurrency"}},
		{Package: "zarr", Own: []string{"internal/arrayspec", "internal/hierarchy", "internal/jsontext", "zarr/cache", "internal/chunkcache", "zarr/fault", "zarr/rule", "zarr/store", "zarr/dtype", "zarr/meta", "zarr/codec", "concurrency",
			"internal/bytesview",
			"internal/account",
			"internal/claim",
			"internal/document",
			"internal/engine",
			"internal/grid",
			"internal/grow",
			"internal/hugepages",
			"internal/pipeline",
			"internal/plan",
			"internal/written",
		}},

		{Package: "internal/alike", Own: []string{"zarr", "zarr/dtype", "zarr/meta"}},
		{Package: "internal/masked", Own: []string{"zarr/dtype"}, Pure: true},
		{Package: "cf", Own: []string{"zarr/dtype", "zarr/fault"}, Pure: true},
		{Package: "internal/convention", Pure: true},
		{Package: "crs", Own: []string{"internal/convention", "zarr/fault"}, Pure: true},
		{Package: "internal/derived", Own: []string{"crs", "internal/convention"}, Pure: true},
		{Package: "internal/follow", Own: []string{"internal/derived", "internal/document", "internal/hierarchy", "zarr", "zarr/fault", "zarr/store", "zarr/upkeep"}},
		{Package: "multiscale", Own: []string{"crs", "internal/convention"}, Pure: true},
		{Package: "dataset", Own: []string{"cf", "concurrency", "crs", "internal/follow", "internal/claim", "internal/document", "internal/hierarchy", "internal/masked", "internal/rehearsal", "zarr", "zarr/dtype", "zarr/fault", "zarr/meta", "zarr/store", "zarr/upkeep"}},
		{Package: "picture", Own: []string{"cf", "concurrency", "dataset", "zarr", "zarr/dtype", "zarr/fault", "zarr/store", "zarr/store/mem", "zarr/store/zip"}, External: []string{"golang.org/x/image"}},
		{Package: "zarr/upkeep", Own: []string{"zarr", "internal/masked", "zarr/fault", "zarr/store", "zarr/meta", "concurrency", "internal/chunkkeys", "internal/claim", "internal/document", "internal/grow", "internal/hierarchy", "internal/written"}},
		{Package: "zarr/validate", Own: []string{"internal/account", "crs", "multiscale", "pyramid", "zarr", "zarr/upkeep", "zarr/fault", "zarr/rule", "zarr/store", "zarr/store/mem", "zarr/store/large", "zarr/dtype", "zarr/meta", "concurrency", "internal/alike", "internal/chunkkeys", "internal/claim", "internal/document", "internal/hierarchy", "internal/written"}},
		{Package: "internal/census", Own: []string{"zarr", "internal/hierarchy", "zarr/fault", "zarr/store", "concurrency"}},
		{Package: "internal/manifest", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "internal/diff", Own: []string{"internal/alike", "internal/jsontext", "zarr", "zarr/fault", "zarr/store", "zarr/dtype", "zarr/meta", "concurrency", "internal/chunkkeys", "internal/listed", "internal/unread"}},

		{Package: "transfer", Own: []string{"internal/account", "zarr", "internal/alike", "internal/chunkkeys", "internal/derived", "internal/document", "internal/jsontext", "internal/listed", "internal/masked", "internal/overlay", "internal/rechunk", "internal/unread", "internal/written", "zarr/fault", "zarr/store", "zarr/store/mem", "zarr/store/large", "zarr/store/zip", "zarr/dtype", "zarr/meta", "zarr/codec", "concurrency"}},

		{Package: "pyramid", Own: []string{"internal/account", "cf", "concurrency", "internal/chunkkeys", "internal/convention", "internal/derived", "internal/document", "internal/hierarchy", "internal/overlay", "zarr", "zarr/codec", "zarr/dtype", "zarr/fault", "zarr/store", "zarr/store/mem"}},

		{Package: "blob", Own: []string{"internal/exact", "zarr/fault", "zarr/store"}, External: []string{gocloud}},
		{Package: "s3", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/damaged", "internal/provider", "internal/sentparts", "blob"},
			External: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go", gocloud}},
		{Package: "gcs", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/damaged", "internal/provider", "internal/sentparts", "blob"},
			External: []string{"cloud.google.com/go/auth", "cloud.google.com/go/compute/metadata", "cloud.google.com/go/storage", "golang.org/x/oauth2", "google.golang.org/api", gocloud}},
		{Package: "azure", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/damaged", "internal/provider", "internal/sentparts", "blob"},
			External: []string{"github.com/Azure/azure-sdk-for-go", gocloud}},

		{Package: "openurl", Own: []string{"internal/account", "zarr/fault", "zarr/store", "zarr/store/dir", "zarr/store/mem", "zarr/store/zip", "zarr/store/http"}},
		{Package: "openurl/all", Own: []string{"azure", "concurrency", "gcs", "openurl", "s3", "zarr/store/http", "zarr/store/retry"}},

		{Package: "cmd/zargo/internal/cdl", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "cmd/zargo/internal/summary", Own: []string{"cf", "concurrency", "zarr/dtype", "zarr/fault"}},
		{Package: "cmd/zargo/internal/render", Own: []string{"zarr", "zarr/dtype", "zarr/fault", "internal/bucketcheck", "internal/npy"}, External: []string{"github.com/guptarohit/asciigraph"}},
		{Package: "cmd/zargo", Own: []string{"cmd/zargo/internal/cdl", "cmd/zargo/internal/render", "cmd/zargo/internal/summary", "zarr/...", "cf", "crs", "dataset", "multiscale", "picture", "pyramid", "transfer", "concurrency", "openurl", "openurl/all", "internal/bucketcheck", "internal/follow", "internal/census", "internal/diff", "internal/document", "internal/hierarchy", "internal/jsontext", "internal/listed", "internal/manifest", "internal/masked", "internal/npy", "internal/rehearsal", "internal/similar", "blob", "s3", "gcs", "azure"},
			External: []string{"github.com/alecthomas/kong", "github.com/vbauerster/mpb/v8", "github.com/vbauerster/cupwriter", "github.com/mattn/go-sixel", gocloud}},

		// Examples import only what a user can import, so that users can copy them. The quickstart
		// links no provider, and each cloud function links only its own provider.
		{Package: "examples/quickstart", Own: []string{"zarr/...", "concurrency", "examples/mainjob"}},
		{Package: "examples/lambda", Own: []string{"zarr/...", "concurrency", "openurl", "examples/region", "s3"}, External: []string{"github.com/aws/aws-lambda-go"}},
		{Package: "examples/cloudrun", Own: []string{"zarr/...", "concurrency", "openurl", "examples/region", "examples/web", "gcs"}},
		{Package: "examples/mainjob", Own: []string{"zarr/...", "concurrency"}},
		{Package: "examples/region", Own: []string{"zarr/...", "concurrency"}},
		{Package: "examples/web", Own: []string{"zarr/...", "concurrency"}},
		{Package: "examples/internal/measure", Own: []string{"zarr/...", "concurrency"}}, // builds the examples
		{Package: "examples/...", Own: []string{"zarr/...", "cf", "crs", "dataset", "multiscale", "picture", "concurrency", "openurl", "openurl/all", "pyramid", "transfer", "examples/mainjob", "examples/region", "examples/web"}},

		// The fault proxy imports no client, so that it works with any client.
		{Package: "integration/faultproxy"},
		{Package: "integration/faultproxy/cmd/faultproxy", Own: []string{"integration/faultproxy"}},
		{Package: "integration/...", Own: []string{"zarr/...", "cf", "dataset", "transfer", "concurrency", "internal/...", "blob", "s3", "gcs", "azure", "openurl", "integration/..."},
			External: []string{compress, gocloud, "github.com/aws/aws-sdk-go-v2"}},
	}
}

// RuleFor returns the first rule for a package. It returns false if no rule matches.
func RuleFor(table []Rule, pkg string) (Rule, bool) {
	for _, r := range table {
		if matches(r.Package, pkg) {
			return r, true
		}
	}
	return Rule{}, false
}

// matches reports whether a pattern of the table matches the package.
func matches(pattern, pkg string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return pkg == base || below && within(pkg, base)
}

// within reports whether path is below base.
func within(path, base string) bool { return strings.HasPrefix(path, base+"/") }

func anyMatch(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if matches(p, pkg) {
			return true
		}
	}
	return false
}
