// Package coding decodes the values that commands show, and encodes the values that they store, by
// the CF conventions, as xarray does.
package coding
