//go:build !(darwin || freebsd || linux)

package dir

// remote returns "", because these systems do not report the file system.
func remote(int) string { return "" }
