package storetest

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Feature names a part of the contract that a store may lack.
type Feature string

// The features that a store may lack. A store without Versions also lacks the four conditions on
// versions.
const (
	Versions        Feature = "Versions"        // Get and Put return a Version
	IfVersionGet    Feature = "IfVersionGet"    // GetOptions.IfVersion
	IfNotVersionGet Feature = "IfNotVersionGet" // GetOptions.IfNotVersion
	IfVersionPut    Feature = "IfVersionPut"    // PutOptions.IfVersion
	IfAbsentPut     Feature = "IfAbsentPut"     // PutOptions.IfAbsent
	IfVersionDelete Feature = "IfVersionDelete" // DeleteOptions.IfVersion
	LastRange       Feature = "LastRange"       // store.Suffix
	AnyKey          Feature = "AnyKey"          // every key that passes store.CheckKey
)

var features = [...]Feature{
	Versions, IfVersionGet, IfNotVersionGet, IfVersionPut, IfAbsentPut, IfVersionDelete, LastRange, AnyKey,
}

// Option configures the tests.
type Option struct {
	name  string
	apply func(*config) error
}

// String returns the option as Go source.
func (o Option) String() string { return o.name }

// Without declares features that the store lacks. The store must refuse each of them with
// errors.ErrUnsupported. If AnyKey is declared, the store may refuse any key with
// errors.ErrUnsupported or fault.Path, but must store the keys that it accepts unchanged. By
// default no feature is missing.
func Without(fs ...Feature) Option {
	return Option{fmt.Sprintf("Without(%v)", fs), func(c *config) error {
		for _, f := range fs {
			if !slices.Contains(features[:], f) {
				return fmt.Errorf("storetest: unknown feature %q", f)
			}
			c.without = append(c.without, f)
			if f == Versions {
				c.without = append(c.without, IfVersionGet, IfNotVersionGet, IfVersionPut, IfVersionDelete)
			}
		}
		slices.Sort(c.without)
		c.without = slices.Compact(c.without)
		return nil
	}}
}

// Keys sets the number of keys of the long listing. The default is 1100, more than a page of S3,
// GCS and Azure. The minimum is 1.
func Keys(n int) Option {
	return Option{fmt.Sprintf("Keys(%d)", n), func(c *config) error { return atLeastOne("Keys", n, &c.keys) }}
}

// Rounds sets the number of times that each goroutine of a race repeats its operation. The default
// is 10, and the minimum is 1.
func Rounds(n int) Option {
	return Option{fmt.Sprintf("Rounds(%d)", n), func(c *config) error { return atLeastOne("Rounds", n, &c.rounds) }}
}

// Writer is for read-only stores. The function that it sets returns, for an opened store, another
// store through which the suite writes the values. Writes to the opened store itself must return
// fault.ReadOnly.
func Writer(of func(s store.Store) store.Store) Option {
	return Option{"Writer", func(c *config) error { c.writer = of; return nil }}
}

// Vanish sets a function that removes the underlying directory or bucket of an opened store. After
// the removal the store must not report that a key is absent or that a write succeeded. Without
// this option the test is omitted.
func Vanish(f func(s store.Store) error) Option {
	return Option{"Vanish", func(c *config) error { c.vanish = f; return nil }}
}

// RemovePart sets a function that removes the stored part n of an uncommitted upload, like a
// clean-up of old objects. After that, Commit must fail. Use this option for stores that do not
// keep the parts of an upload together. Without it the test is omitted.
func RemovePart(f func(s store.Store, key string, n int) error) Option {
	return Option{"RemovePart", func(c *config) error { c.removePart = f; return nil }}
}

type config struct {
	removePart func(s store.Store, key string, n int) error
	vanish     func(store.Store) error
	without    []Feature
	keys       int
	rounds     int
	writer     func(store.Store) store.Store
}

func newConfig(opts []Option) (*config, error) {
	c := &config{keys: 1100, rounds: 10}
	for _, o := range opts {
		if err := o.apply(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func atLeastOne(what string, n int, dst *int) error {
	if n < 1 {
		return fmt.Errorf("storetest: %s must be at least 1, is %d", what, n)
	}
	*dst = n
	return nil
}
