// Package transfers tests copies between real servers, with faults, with interruptions, and with
// several concurrent processes.
package transfers
