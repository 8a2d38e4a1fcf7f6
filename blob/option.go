package blob

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
)

// Option configures a Store. Later options override earlier ones.
type Option struct {
	text  string
	apply func(*options)
}

// String returns the option as Go code.
func (o Option) String() string { return o.text }

type options struct {
	name       string
	hooks      Hooks
	classify   func(error) error
	keys       func(string) error
	tuning     store.Tuning
	trust      bool
	noIfAbsent bool
}

// Name sets the store's name in errors and reports, usually the store's URL without secrets. The
// default is "blob".
func Name(name string) Option {
	return Option{fmt.Sprintf("blob.Name(%q)", name), func(o *options) { o.name = name }}
}

// WithHooks replaces methods of the portable API with those of a provider.
func WithHooks(h Hooks) Option {
	return Option{"blob.WithHooks(…)", func(o *options) { o.hooks = h }}
}

// Classify sets a function that returns the kind of a driver's error: a kind of package fault,
// errors.ErrUnsupported, or nil to use gocloud's error code. f must return fault.NotFound only if
// absence is proven, because the store does not check it. Use errors.As in f to find the provider's
// error.
func Classify(f func(err error) (kind error)) Option {
	return Option{"blob.Classify(…)", func(o *options) { o.classify = f }}
}

// TrustNotFound makes the store trust the driver's NotFound. This is correct for memblob and
// fileblob, and wrong for all cloud drivers. By default the store proves absence by a listing.
func TrustNotFound() Option {
	return Option{"blob.TrustNotFound()", func(o *options) { o.trust = true }}
}

// NoIfAbsent makes the store return errors.ErrUnsupported for IfAbsent. Use it for drivers whose
// IfNotExist is not atomic, such as fileblob.
func NoIfAbsent() Option {
	return Option{"blob.NoIfAbsent()", func(o *options) { o.noIfAbsent = true }}
}

// CheckKeys replaces [PortableKey], the default check of keys. f should return fault.Path for a key
// that it rejects. A nil f accepts every key that store.CheckKey accepts.
func CheckKeys(f func(key string) error) Option {
	return Option{"blob.CheckKeys(…)", func(o *options) { o.keys = f }}
}

// Tuning replaces the settings for an unknown provider.
func Tuning(t store.Tuning) Option {
	return Option{"blob.Tuning(…)", func(o *options) { o.tuning = t }}
}
