package blob

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
)

// Option changes how [New] treats its bucket. Later options win.
type Option struct {
	text  string
	apply func(*options)
}

// String prints the option as it is written in code.
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

// Name is how the store calls itself in errors and reports: its URL, without secrets.
func Name(name string) Option {
	return Option{fmt.Sprintf("blob.Name(%q)", name), func(o *options) { o.name = name }}
}

// WithHooks replaces verbs of the portable form by a provider's own.
func WithHooks(h Hooks) Option {
	return Option{"blob.WithHooks(…)", func(o *options) { o.hooks = h }}
}

// Classify tells the kind of a driver's errors: a kind of package fault, errors.ErrUnsupported, or
// nil where it cannot tell and gocloud's own code is to be used. fault.NotFound from it is
// believed, so it must be proven; use errors.As to reach the provider's error.
func Classify(f func(err error) (kind error)) Option {
	return Option{"blob.Classify(…)", func(o *options) { o.classify = f }}
}

// TrustNotFound believes the driver's NotFound. Right for memblob and fileblob, wrong for every
// cloud driver.
func TrustNotFound() Option {
	return Option{"blob.TrustNotFound()", func(o *options) { o.trust = true }}
}

// NoIfAbsent refuses IfAbsent with errors.ErrUnsupported, for drivers whose IfNotExist is not
// atomic, such as fileblob.
func NoIfAbsent() Option {
	return Option{"blob.NoIfAbsent()", func(o *options) { o.noIfAbsent = true }}
}

// CheckKeys replaces [PortableKey]; nil takes every key that store.CheckKey takes. An error should
// be fault.Path.
func CheckKeys(f func(key string) error) Option {
	return Option{"blob.CheckKeys(…)", func(o *options) { o.keys = f }}
}

// Tuning replaces the numbers for an unknown provider.
func Tuning(t store.Tuning) Option {
	return Option{"blob.Tuning(…)", func(o *options) { o.tuning = t }}
}
