// Package describing implements the commands that describe nodes without reading elements: info, ls
// and du.
package describing
