package storetest

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/zarr/store"
)

// Feature names something of the contract that a reduced store may lack.
type Feature string

// What a store may lack. A store without Versions lacks the four conditions on versions as well.
const (
	Versions        Feature = "Versions"        // Get and Put tell a Version
	IfVersionGet    Feature = "IfVersionGet"    // GetOptions.IfVersion
	IfNotVersionGet Feature = "IfNotVersionGet" // GetOptions.IfNotVersion
	IfVersionPut    Feature = "IfVersionPut"    // PutOptions.IfVersion
	IfAbsentPut     Feature = "IfAbsentPut"     // PutOptions.IfAbsent
	IfVersionDelete Feature = "IfVersionDelete" // DeleteOptions.IfVersion
	LastRange       Feature = "LastRange"       // store.Suffix
	AnyKey          Feature = "AnyKey"          // every key that store.CheckKey lets pass
)

var features = [...]Feature{
	Versions, IfVersionGet, IfNotVersionGet, IfVersionPut, IfAbsentPut, IfVersionDelete, LastRange, AnyKey,
}

// Option changes what is tested.
type Option struct {
	name  string
	apply func(*config) error
}

// String gives the option as it would be written.
func (o Option) String() string { return o.name }

// Without says what the store lacks. Each of it must be refused with errors.ErrUnsupported (AnyKey:
// a key may be refused with that or with fault.Path, but one that is taken must come back as it
// was).
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

// Keys sets how many keys the long listing holds. The default of 1100 is more than a page of S3,
// GCS and Azure.
func Keys(n int) Option {
	return Option{fmt.Sprintf("Keys(%d)", n), func(c *config) error { return atLeastOne("Keys", n, &c.keys) }}
}

// Rounds sets how often each goroutine of a race does its part. The default is 10.
func Rounds(n int) Option {
	return Option{fmt.Sprintf("Rounds(%d)", n), func(c *config) error { return atLeastOne("Rounds", n, &c.rounds) }}
}

// Writer is for stores that take no writes: it gives, for a store that was opened, the store that
// fills it. Writes to the store itself must then be fault.ReadOnly.
func Writer(of func(s store.Store) store.Store) Option {
	return Option{"Writer", func(c *config) error { c.writer = of; return nil }}
}

// Vanish gives a function that takes away what a store that was opened is in, such as its folder or
// its bucket. After that a store must not call anything absent, nor say that a write was done.
// Without it that is not tested.
func Vanish(f func(s store.Store) error) Option {
	return Option{"Vanish", func(c *config) error { c.vanish = f; return nil }}
}

// RemovePart gives a function that takes away the stored part n of a value in parts that was not
// committed, as a clean-up by age does. Commit must then fail. Without it, and in stores that keep
// the parts of a value together, that is not tested.
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
		return fmt.Errorf("storetest: %s(%d) is less than one", what, n)
	}
	*dst = n
	return nil
}
