// Package transfers tests copies between real servers: with faults, with interruptions, and by
// several concurrent processes.
package transfers
