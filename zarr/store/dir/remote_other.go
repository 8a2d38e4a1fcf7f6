//go:build !(darwin || freebsd || linux)

package dir

// remote is not known here.
func remote(int) string { return "" }
