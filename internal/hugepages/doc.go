// Package hugepages asks the kernel to back memory that is going to be written at once with huge
// pages. Half of the CPU time of a large read from a fast store is the first touch of its result,
// one page fault for each 4 KiB; with pages of 2 MiB there are 512 times fewer.
//
//	dst := make([]byte, n)
//	advice := hugepages.Advise(dst) // before anything is written
//	defer advice.Undo()             // when dst is full
//
// On Linux it is madvise with MADV_HUGEPAGE, and MADV_NOHUGEPAGE afterwards: pages that are huge
// stay so, and the kernel fills no memory up to huge pages after it was freed. (The advice outlives
// the slice: a process with 8 MB of live memory grew from 16 to 48 MB within 23 s.) Neither is done
// unless /sys/kernel/mm/transparent_hugepage/enabled says madvise: otherwise the first has no
// effect or none is needed, and the second would forbid huge pages. Where it says never, or prctl
// denies them to the process, small pages are made by MADV_POPULATE_WRITE while the result is being
// written: 128 KiB by one call for 32 faults, and no page twice. Contents, ownership and the
// accounting of the Go runtime are unchanged, failures have no effect but page faults. On other
// systems nothing is done.
//
// Want and Enough are the same for buffers that are filled again and again, with nothing to keep in
// between, and without the small pages.
//
// All may be called from any number of goroutines.
package hugepages
