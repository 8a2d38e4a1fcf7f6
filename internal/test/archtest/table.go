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
		{Package: "zarr/store", Own: []string{"zarr/fault", "internal/provider/pages"}},
		{Package: "zarr/store/mem", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "zarr/store/dir", Own: []string{"zarr/fault", "zarr/store", "internal/provider/sentparts"}},
		{Package: "zarr/store/storetest", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "cmd/zargo/internal/bucketcheck", Own: []string{"internal/provider/damaged", "zarr/fault", "zarr/store", "concurrency"}},
		{Package: "zarr/internal/lzma", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "zarr/store/zip", Own: []string{"zarr/internal/lzma", "zarr/fault", "zarr/store"}, External: []string{compress}},
		{Package: "zarr/store/http", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/provider/exact", "internal/provider"}},
		{Package: "zarr/store/retry", Own: []string{"zarr/fault", "zarr/store", "concurrency", "internal/provider/pages"}},
		{Package: "zarr/store/limit", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "zarr/store/large", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "zarr/store/hedge", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},

		{Package: "zarr/rule", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "zarr/dtype", Own: []string{"zarr/fault", "internal/bits/jsontext"}, Pure: true},
		{Package: "zarr/meta", Own: []string{"internal/node/claim", "zarr/fault", "zarr/rule", "zarr/dtype"}, Pure: true},
		{Package: "zarr/codec/internal/number", Own: []string{"zarr/fault", "zarr/dtype"}, Pure: true},
		{Package: "zarr/codec/internal/msgpack", Own: []string{"zarr/fault", "internal/bits/jsontext"}, Pure: true},
		{Package: "zarr/codec/internal/stream", Pure: true},
		{Package: "zarr/codec/internal/lz4hc", External: []string{lz4}, Pure: true}, // its tests use the reference implementation
		{Package: "zarr/codec/internal/lz4fast", External: []string{lz4}, Pure: true},
		{Package: "zarr/codec/internal/zst", Own: []string{"zarr/fault"}, External: []string{compress}, Pure: true},
		{Package: "zarr/codec/internal/...", Own: []string{"zarr/fault", "zarr/codec/internal/stream"}, External: []string{compress}, Pure: true},
		{Package: "zarr/codec/blosc", Own: []string{"zarr/fault", "zarr/codec/internal/..."}, External: []string{compress, lz4}, Pure: true},
		{Package: "zarr/codec", Own: []string{"zarr/internal/lzma", "zarr/fault", "zarr/rule", "zarr/dtype", "zarr/codec/blosc", "zarr/codec/internal/...", "internal/chunk/grid", "internal/bits/jsontext", "internal/bits/similar"}, External: []string{lz4}, Pure: true},
		{Package: "zarr/codec/zfp", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec"}, Pure: true},
		{Package: "zarr/codec/pcodec", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec"}, Pure: true},
		{Package: "zarr/codec/optional", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec"}, Pure: true},
		{Package: "zarr/codec/codectest", Own: []string{"zarr/fault", "zarr/rule", "zarr/dtype", "zarr/codec"}, Pure: true},

		{Package: "internal/bits/similar", Pure: true},
		{Package: "internal/bits/codectext", Own: []string{"zarr/fault", "zarr/dtype", "zarr/codec", "zarr/codec/optional", "zarr/codec/pcodec", "zarr/codec/zfp"}, Pure: true},
		{Package: "internal/chunk/grid", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/chunk/keys", Own: []string{"internal/node/claim", "zarr/meta"}, Pure: true},
		{Package: "internal/provider/exact", Own: []string{"zarr/fault"}},
		{Package: "internal/provider/damaged"},
		{Package: "internal/provider/pages", Pure: true},
		{Package: "internal/copying/overlay", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/copying/claimed", Own: []string{"internal/chunk/written", "zarr", "zarr/meta", "concurrency", "internal/chunk/keys", "internal/node", "zarr/fault", "zarr/store"}},
		{Package: "internal/copying/rehearsal", Own: []string{"zarr/fault", "zarr/store", "zarr/store/mem"}},
		{Package: "internal/provider/sentparts", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/copying/listed", Own: []string{"internal/chunk/keys", "zarr/fault", "zarr/meta", "zarr/store"}},
		{Package: "internal/copying/unread", Own: []string{"concurrency", "internal/bits/jsontext", "internal/node", "zarr/fault", "zarr/store"}},
		{Package: "transfer/internal/rechunk", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/chunk/pipeline", Own: []string{"zarr/fault", "zarr/codec", "zarr/dtype", "internal/chunk/grid"}, Pure: true},
		{Package: "internal/chunk/plan", Own: []string{"zarr/fault", "zarr/codec", "zarr/dtype", "zarr/store", "internal/chunk/grid", "internal/chunk/pipeline"}, Pure: true},
		{Package: "internal/chunk/slots", Own: []string{"concurrency", "zarr/store"}},
		{Package: "internal/chunk/engine", Own: []string{"internal/chunk/account", "internal/chunk/assemble", "internal/chunk/slots", "internal/chunk/cache", "zarr/fault", "zarr/store", "zarr/codec", "concurrency", "internal/chunk/grid", "internal/chunk/pipeline", "internal/chunk/plan", "internal/chunk/written"}},
		{Package: "internal/chunk/assemble", Own: []string{"zarr/fault", "zarr/store", "zarr/codec", "concurrency", "internal/chunk/pipeline", "internal/chunk/plan"}},
		{Package: "internal/bits/jsontext", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/bits/bytesview", Own: []string{"zarr/dtype"}, Pure: true},
		{Package: "internal/bits/hugepages"},
		{Package: "npy", Own: []string{"internal/bits/bytesview", "zarr/dtype", "zarr/fault"}, Pure: true},
		{Package: "internal/provider/opened", Own: []string{"internal/provider"}, External: []string{gocloud}},
		{Package: "internal/provider", Own: []string{"internal/provider/exact", "zarr/fault", "zarr/store", "zarr/store/retry", "zarr/store/limit", "zarr/store/hedge", "zarr/store/large", "concurrency"}},
		{Package: "internal/test/fake", Own: []string{"zarr", "zarr/fault", "zarr/dtype", "zarr/codec", "zarr/store", "zarr/store/mem", "zarr/store/retry"}},
		{Package: "internal/test/fake/wrapped", Own: []string{"zarr/store"}, External: []string{gocloud}},
		{Package: "internal/test/zarrtest", Own: []string{"zarr", "zarr/upkeep", "zarr/fault", "zarr/dtype", "zarr/store", "zarr/store/mem", "zarr/store/dir"}},
		{Package: "internal/test/tables", Own: []string{"zarr/...", "blob", "s3", "gcs", "azure", "internal/test/lengths"}, External: []string{gocloud}},
		{Package: "internal/test/lengths", Pure: true},
		{Package: "internal/test/race", Pure: true},
		{Package: "internal/test/archtest"},
		{Package: "internal/test/doctest"},
		{Package: "internal/test/archtest/lines", Own: []string{"internal/test/archtest"}},
		{Package: "internal/test/archtest/draw", Own: []string{"internal/test/archtest"}},

		{Package: "concurrency", Own: []string{"zarr/fault", "internal/bits/hugepages"}, External: []string{"golang.org/x/sync"}},
		{Package: "internal/walk", Own: []string{"concurrency"}},
		{Package: "internal/chunk/written", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "internal/chunk/cache", Own: []string{"internal/chunk/written", "zarr/store", "zarr/codec", "concurrency"}, External: []string{"github.com/maypok86/otter/v2"}},
		{Package: "zarr/cache", Own: []string{"zarr/store", "internal/chunk/cache"}},
		{Package: "internal/chunk/account", Own: []string{"zarr/fault", "zarr/store"}},
		{Package: "internal/node/claim", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "internal/node/spec", Own: []string{"zarr/fault", "zarr/codec", "zarr/dtype", "zarr/meta", "internal/chunk/grid", "internal/chunk/pipeline"}, Pure: true},
		{Package: "internal/node", Own: []string{"internal/chunk/account", "internal/node/spec", "internal/node/claim", "internal/chunk/pipeline", "internal/chunk/written", "zarr/fault", "zarr/rule", "zarr/store", "zarr/dtype", "zarr/meta", "zarr/codec", "concurrency"}},
		{Package: "internal/node/array", Own: []string{"concurrency", "internal/chunk/account", "internal/chunk/cache", "internal/chunk/engine", "internal/chunk/grid", "internal/chunk/pipeline", "internal/chunk/plan", "internal/node/claim", "internal/node", "zarr/cache", "zarr/codec", "zarr/fault", "zarr/meta", "zarr/dtype"}},
		{Package: "internal/grow", Own: []string{"internal/node/array", "internal/node", "internal/chunk/account", "internal/node/spec", "internal/node/claim", "internal/chunk/engine", "internal/chunk/grid", "zarr/fault", "zarr/meta", "zarr/store", "concurrency"}},
		{Package: "zarr", Own: []string{"internal/node/array", "internal/node/spec", "internal/node", "internal/bits/jsontext", "zarr/cache", "internal/chunk/cache", "zarr/fault", "zarr/rule", "zarr/store", "zarr/dtype", "zarr/meta", "zarr/codec", "concurrency",
			"internal/bits/bytesview",
			"internal/chunk/account",
			"internal/node/claim",
			"internal/chunk/engine",
			"internal/chunk/grid",
			"internal/grow",
			"internal/bits/hugepages",
			"internal/chunk/pipeline",
			"internal/chunk/plan",
			"internal/chunk/written",
			"internal/walk",
		}},

		{Package: "internal/copying/alike", Own: []string{"zarr", "zarr/dtype", "zarr/meta"}},
		{Package: "internal/copying/copyspec", Own: []string{"internal/attributes/derived", "internal/attributes/masked", "zarr", "zarr/codec", "zarr/fault", "zarr/store"}},
		{Package: "internal/attributes/numeric", Own: []string{"zarr/dtype"}, Pure: true},
		{Package: "internal/attributes/masked", Own: []string{"zarr/dtype", "internal/attributes/numeric"}, Pure: true},
		{Package: "cf", Own: []string{"zarr/dtype", "zarr/fault", "zarr/rule", "internal/attributes/numeric"}, Pure: true},
		{Package: "internal/attributes/convention", Own: []string{"zarr/rule"}, Pure: true},
		{Package: "crs", Own: []string{"internal/attributes/convention", "zarr/fault", "zarr/rule"}, Pure: true},
		{Package: "internal/attributes/derived", Own: []string{"crs", "internal/attributes/convention"}, Pure: true},
		{Package: "internal/attributes/follow", Own: []string{"internal/attributes/derived", "internal/node", "zarr", "zarr/fault", "zarr/store", "zarr/upkeep"}},
		{Package: "multiscale", Own: []string{"crs", "internal/attributes/convention", "zarr/fault", "zarr/rule"}, Pure: true},
		{Package: "internal/compute", Own: []string{"internal/attributes/numeric", "internal/bits/bytesview", "internal/bits/hugepages", "internal/walk", "cf", "concurrency", "zarr", "zarr/dtype", "zarr/fault"}},
		{Package: "dataset", Own: []string{"internal/attributes/derived", "internal/copying/claimed", "internal/copying/copyspec", "internal/copying/overlay", "zarr/store/mem", "internal/compute", "internal/walk", "cf", "concurrency", "crs", "internal/attributes/follow", "internal/node/claim", "internal/node", "internal/attributes/masked", "internal/copying/rehearsal", "zarr", "zarr/dtype", "zarr/fault", "zarr/meta", "zarr/store", "zarr/upkeep", "zarr/rule", "internal/attributes/numeric"}},
		{Package: "serve", Own: []string{"cf", "concurrency", "dataset", "internal/attributes/numeric", "internal/compute", "internal/copying/rehearsal", "internal/walk", "npy", "picture", "zarr", "zarr/dtype", "zarr/fault", "zarr/store"}},
		{Package: "picture", Own: []string{"internal/bits/bytesview", "internal/compute", "internal/walk", "cf", "concurrency", "dataset", "zarr", "zarr/dtype", "zarr/fault", "zarr/store", "zarr/store/mem", "zarr/store/zip"}, External: []string{"golang.org/x/image"}},
		{Package: "zarr/upkeep", Own: []string{"zarr", "internal/attributes/masked", "zarr/fault", "zarr/store", "zarr/meta", "concurrency", "internal/chunk/keys", "internal/node/claim", "internal/grow", "internal/node", "internal/chunk/written"}},
		{Package: "zarr/validate", Own: []string{"internal/walk", "internal/chunk/account", "crs", "multiscale", "pyramid", "zarr", "zarr/upkeep", "zarr/fault", "zarr/rule", "zarr/store", "zarr/store/mem", "zarr/store/large", "zarr/dtype", "zarr/meta", "concurrency", "internal/copying/alike", "internal/chunk/keys", "internal/node/claim", "internal/node", "internal/chunk/written"}},
		{Package: "cmd/zargo/internal/census", Own: []string{"internal/walk", "zarr", "internal/node", "zarr/fault", "zarr/store", "concurrency"}},
		{Package: "cmd/zargo/internal/manifest", Own: []string{"zarr/fault", "zarr/store", "concurrency"}},
		{Package: "cmd/zargo/internal/diff", Own: []string{"internal/node/claim", "cmd/zargo/internal/census", "cf", "internal/attributes/numeric", "internal/bits/bytesview", "internal/compute", "internal/walk", "internal/copying/alike", "internal/bits/jsontext", "zarr", "zarr/fault", "zarr/store", "zarr/dtype", "zarr/meta", "concurrency", "internal/chunk/keys", "internal/copying/listed", "internal/copying/unread"}},

		{Package: "transfer", Own: []string{"internal/walk", "internal/copying/copyspec", "internal/chunk/account", "zarr", "internal/copying/alike", "internal/copying/claimed", "internal/chunk/keys", "internal/attributes/derived", "internal/node", "internal/bits/jsontext", "internal/copying/listed", "internal/attributes/masked", "internal/copying/overlay", "transfer/internal/rechunk", "internal/copying/unread", "internal/chunk/written", "zarr/fault", "zarr/store", "zarr/store/mem", "zarr/store/large", "zarr/store/zip", "zarr/dtype", "zarr/meta", "zarr/codec", "concurrency"}},

		{Package: "view", Own: []string{"internal/chunk/keys", "internal/node/claim", "internal/walk", "cf", "concurrency", "dataset", "internal/attributes/derived", "internal/attributes/numeric", "internal/bits/codectext", "internal/chunk/cache", "internal/compute", "internal/copying/copyspec", "zarr", "zarr/codec", "zarr/dtype", "zarr/fault", "zarr/meta", "zarr/store", "zarr/store/mem"}},

		{Package: "pyramid", Own: []string{"internal/bits/bytesview", "internal/attributes/numeric", "internal/node/claim", "internal/walk", "internal/chunk/account", "cf", "concurrency", "internal/chunk/keys", "internal/attributes/convention", "internal/attributes/derived", "internal/node", "internal/copying/claimed", "internal/copying/overlay", "zarr", "zarr/codec", "zarr/dtype", "zarr/fault", "zarr/store", "zarr/store/mem", "multiscale"}},

		{Package: "blob", Own: []string{"internal/provider/exact", "zarr/fault", "zarr/store"}, External: []string{gocloud}},
		{Package: "s3", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/provider/damaged", "internal/provider", "internal/provider/opened", "internal/provider/sentparts", "blob"},
			External: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go", gocloud}},
		{Package: "gcs", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/provider/damaged", "internal/provider", "internal/provider/opened", "internal/provider/sentparts", "blob"},
			External: []string{"cloud.google.com/go/auth", "cloud.google.com/go/compute/metadata", "cloud.google.com/go/storage", "golang.org/x/oauth2", "google.golang.org/api", gocloud}},
		{Package: "azure", Own: []string{"zarr/fault", "zarr/store", "zarr/store/limit", "zarr/store/retry", "concurrency", "internal/provider/damaged", "internal/provider", "internal/provider/opened", "internal/provider/sentparts", "blob"},
			External: []string{"github.com/Azure/azure-sdk-for-go", gocloud}},

		{Package: "openurl", Own: []string{"internal/chunk/account", "zarr/fault", "zarr/store", "zarr/store/dir", "zarr/store/mem", "zarr/store/zip", "zarr/store/http"}},
		{Package: "openurl/all", Own: []string{"azure", "concurrency", "gcs", "openurl", "s3", "zarr/store/http", "zarr/store/retry"}},

		{Package: "cmd/zargo/internal/cdl", Own: []string{"zarr/fault"}, Pure: true},
		{Package: "cmd/zargo/internal/render", Own: []string{"zarr", "zarr/dtype", "zarr/fault", "zarr/meta", "cmd/zargo/internal/bucketcheck", "npy"}, External: []string{"github.com/guptarohit/asciigraph"}},
		{Package: "cmd/zargo/internal/exit", Own: []string{"cmd/zargo/internal/render", "openurl", "s3", "zarr/fault"}},
		{Package: "cmd/zargo/internal/argument", Own: []string{"cmd/zargo/internal/exit", "internal/bits/codectext", "internal/bits/jsontext", "internal/bits/similar", "zarr/..."}},
		{Package: "cmd/zargo/internal/cost", Own: []string{"cmd/zargo/internal/exit", "cmd/zargo/internal/render", "zarr/store"}},
		{Package: "cmd/zargo/internal/progress", Own: []string{"cmd/zargo/internal/render", "zarr/rule", "zarr/store"}, External: []string{"github.com/alecthomas/kong", "github.com/vbauerster/cupwriter", "github.com/vbauerster/mpb/v8"}},
		{Package: "cmd/zargo/internal/session", Own: []string{"azure", "cmd/zargo/internal/argument", "cmd/zargo/internal/cost", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/render", "concurrency", "gcs", "internal/copying/rehearsal", "internal/node", "openurl", "openurl/all", "s3", "zarr/..."}, External: []string{"github.com/alecthomas/kong"}},
		{Package: "cmd/zargo/internal/selection", Own: []string{"internal/compute", "cf", "cmd/zargo/internal/census", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/render", "cmd/zargo/internal/session", "concurrency", "dataset", "internal/walk", "openurl", "zarr", "zarr/dtype", "zarr/fault", "zarr/store"}},
		{Package: "cmd/zargo/internal/coding", Own: []string{"internal/bits/bytesview", "internal/compute", "cf", "cmd/zargo/internal/argument", "cmd/zargo/internal/exit", "cmd/zargo/internal/render", "cmd/zargo/internal/session", "internal/attributes/numeric", "zarr", "zarr/codec", "zarr/dtype", "zarr/fault"}},
		{Package: "cmd/zargo/internal/reading", Own: []string{"internal/compute", "internal/walk", "cf", "cmd/zargo/internal/argument", "cmd/zargo/internal/cdl", "cmd/zargo/internal/coding", "cmd/zargo/internal/cost", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/render", "cmd/zargo/internal/selection", "cmd/zargo/internal/session", "concurrency", "dataset", "internal/attributes/masked", "openurl", "zarr", "zarr/dtype", "zarr/fault", "zarr/store"}},
		{Package: "cmd/zargo/internal/drawing", Own: []string{"cmd/zargo/internal/coding", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/render", "cmd/zargo/internal/selection", "cmd/zargo/internal/session", "concurrency", "dataset", "openurl", "picture", "zarr", "zarr/fault"}, External: []string{"github.com/mattn/go-sixel"}},
		{Package: "cmd/zargo/internal/serving", Own: []string{"cmd/zargo/internal/argument", "cmd/zargo/internal/exit", "cmd/zargo/internal/render", "cmd/zargo/internal/session", "concurrency", "dataset", "serve", "view", "zarr", "zarr/fault", "zarr/store"}},
		{Package: "cmd/zargo/internal/describing", Own: []string{"internal/chunk/keys", "internal/node/claim", "internal/compute", "cf", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/render", "cmd/zargo/internal/session", "concurrency", "crs", "dataset", "internal/bits/jsontext", "multiscale", "pyramid", "zarr/..."}},
		{Package: "cmd/zargo/internal/creating", Own: []string{"cmd/zargo/internal/argument", "cmd/zargo/internal/cdl", "cmd/zargo/internal/exit", "cmd/zargo/internal/session", "concurrency", "dataset", "internal/attributes/masked", "zarr/..."}},
		{Package: "cmd/zargo/internal/writing", Own: []string{"cmd/zargo/internal/argument", "cmd/zargo/internal/coding", "cmd/zargo/internal/cost", "cmd/zargo/internal/creating", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/selection", "cmd/zargo/internal/session", "concurrency", "dataset", "internal/attributes/follow", "internal/attributes/numeric", "internal/node", "npy", "zarr", "zarr/dtype", "zarr/fault"}},
		{Package: "cmd/zargo/internal/copying", Own: []string{"dataset", "internal/copying/copyspec", "cmd/zargo/internal/argument", "cmd/zargo/internal/cost", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/render", "cmd/zargo/internal/selection", "cmd/zargo/internal/session", "openurl", "pyramid", "transfer", "zarr", "zarr/fault", "zarr/store"}},
		{Package: "cmd/zargo/internal/upkeep", Own: []string{"cmd/zargo/internal/argument", "cmd/zargo/internal/bucketcheck", "cmd/zargo/internal/census", "cmd/zargo/internal/cost", "cmd/zargo/internal/describing", "cmd/zargo/internal/diff", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/reading", "cmd/zargo/internal/render", "cmd/zargo/internal/session", "cmd/zargo/internal/manifest", "openurl", "zarr/..."}},
		{Package: "cmd/zargo", Own: []string{"cmd/zargo/internal/copying", "cmd/zargo/internal/creating", "cmd/zargo/internal/describing", "cmd/zargo/internal/drawing", "cmd/zargo/internal/exit", "cmd/zargo/internal/progress", "cmd/zargo/internal/reading", "cmd/zargo/internal/render", "cmd/zargo/internal/serving", "cmd/zargo/internal/session", "cmd/zargo/internal/upkeep", "cmd/zargo/internal/writing", "openurl"}, External: []string{"github.com/alecthomas/kong"}},

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
		{Package: "cmd/zargo/internal/bucketcheck/checks"},
		{Package: "integration/...", Own: []string{"zarr/...", "cf", "dataset", "serve", "transfer", "view", "concurrency", "internal/...", "blob", "s3", "gcs", "azure", "npy", "openurl", "integration/..."},
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
