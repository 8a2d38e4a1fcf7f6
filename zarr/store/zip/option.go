package zip

import (
	"fmt"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxDirectory is the default of [MaxDirectory]. 64 MiB: a million entries with names of 20 bytes.
const maxDirectory = 64 << 20

// Option changes how [Open] reads an archive.
type Option struct {
	name  string
	apply func(*config) error
}

// String gives the option as it would be written.
func (o Option) String() string { return o.name }

type config struct {
	inner        string
	maxDirectory int64
}

// Inner makes a folder within the archive the store's root: "data.zarr". URL: |zip:data.zarr. An
// unsafe one is fault.Path.
func Inner(prefix string) Option {
	return Option{fmt.Sprintf("zip.Inner(%q)", prefix), func(c *config) error {
		c.inner = prefix
		return store.CheckPrefix(prefix)
	}}
}

// MaxDirectory bounds the size of the archive's directory in bytes; a larger one is fault.Limit.
// The default is 64 MiB. Memory held is about the directory's size and 100 bytes for each entry.
func MaxDirectory(n int64) Option {
	return Option{fmt.Sprintf("zip.MaxDirectory(%d)", n), func(c *config) error {
		if n < 1 || n > 1<<30 {
			return fault.Newf(fault.Limit, "zip.MaxDirectory(%d) is not within 1 and 1 GiB", n)
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
