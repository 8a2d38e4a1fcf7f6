// Package cost adds up the requests and bytes of commands, computes their prices and prints both.
package cost
