package zip

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Option configures how [Open] reads an archive.
type Option struct {
	name  string
	apply func(*config) error
}

// maxDirectory is the default of [MaxDirectory]. The directory of a million entries with names of
// 20 bytes has about this size.
const maxDirectory = 64 << 20

// String returns the option as Go source.
func (o Option) String() string { return o.name }

type config struct {
	inner        string
	maxDirectory int64
}

// Inner makes a directory of the archive the root of the store, such as "data.zarr". A URL has this
// option in the form "|zip:data.zarr". Open returns fault.Path if prefix fails store.CheckPrefix.
// The default "" means the whole archive.
func Inner(prefix string) Option {
	return Option{fmt.Sprintf("zip.Inner(%q)", prefix), func(c *config) error {
		c.inner = prefix
		return store.CheckPrefix(prefix)
	}}
}

// MaxDirectory limits the size of the archive's central directory, the list of its entries. Open
// returns fault.Limit for a larger directory. An open archive takes memory for its directory and
// about 100 bytes per entry. The default is 64 MiB, and n must be 1 to 1 GiB.
func MaxDirectory(n int64) Option {
	return Option{fmt.Sprintf("zip.MaxDirectory(%d)", n), func(c *config) error {
		if n < 1 || n > 1<<30 {
			return fault.Newf(fault.Limit, "zip.MaxDirectory must be 1 to 1 GiB, is %d", n)
		}
		c.maxDirectory = n
		return nil
	}}
}

func newConfig(opts []Option) (config, error) {
	c := config{maxDirectory: maxDirectory}
	for _, o := range opts {
		if err := o.apply(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}
