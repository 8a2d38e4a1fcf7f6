// Package transfers copies between real servers, through faults and interruptions, and by several
// processes at once.
package transfers
