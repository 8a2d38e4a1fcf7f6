// Command peerbench is zargo's program in the side-by-side benchmark of Zarr libraries in
// integration/bench, which starts a program for each measurement of each library, in turns, so that
// all meet the same machine.
//
//	integration/bench/setup.sh
//	cd integration/bench && _venv/bin/python peers.py run W1 W2 --peer tensorstore --extra zargo=_bin/peerbench --reps 10
//	_bin/peerbench '{"do":"read","where":"file","root":"/data","path":"t2m"}'
//
// The argument is a task as a JSON object. The last line of standard output is the result as a JSON
// object; errors go to standard error and end with status 1.
//
//	do       read             the whole array at path
//	         point            the element at index
//	         points           the elements at coords, one list of indices for each axis
//	         write            creates the array at path as the data set that case names, with the values of bench/field.npy
//	         rechunk          creates the array at out with the values of the one at path, in uncompressed chunks of 64 × 64 that have
//	                          all of the first axis
//	         group            opens the group at path and its members
//	         names            opens the group at path and lists the names in it
//	         opengroup_array  opens the group at path, then v07 in it, and reads that
//	where    file, below the folder root, or s3: bucket at endpoint, in path style, without credentials
//	format   2, 3, or null to find out
//
//	seconds, cpu             from before the store is opened to the last value in memory, or stored
//	rss_mb                   most memory of the process so far, in MiB
//	bytes, crc               of the values in C order, little-endian: CRC-32/IEEE; of a group, crc is the count
//	count                    members of the group, or names
//	requests, ops, wire, max_concurrent, connections, not_found, faults
//	                         of s3, as the server counts them at endpoint/__stats
//
// It uses what a user would: package openurl to open the store, and package zarr with the defaults
// of both; with -hedge before the task, slow reads are made twice. Every data set is of float32.
package main
