// Package transfers tests copies between real servers: with faults, with interruptions, and by
// several processes at once.
package transfers
