//go:build !(darwin || freebsd || linux)

package dir

// remote returns "", because these systems do not report it.
func remote(int) string { return "" }
