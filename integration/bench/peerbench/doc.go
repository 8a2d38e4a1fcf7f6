// Command peerbench is zargo's program in the side-by-side benchmark of Zarr libraries in
// integration/bench. The benchmark starts a program for each measurement of each library, in
// rotation, so that all libraries see the same state of the machine.
//
//	integration/bench/setup.sh
//	cd integration/bench && _venv/bin/python peers.py run W1 W2 --peer tensorstore --extra zargo=_bin/peerbench --reps 10
//	_bin/peerbench '{"do":"read","where":"file","root":"/data","path":"t2m"}'
//
// The argument is a task as a JSON object. The last line of standard output is the result as a JSON
// object. Errors are printed to standard error, and the exit code is then 1. The members of a task
// are:
//
//	do       read             reads the whole array at path
//	         point            reads the element at index
//	         points           reads the elements at coords, one list of indices for each axis
//	         write            creates the array at path as the data set named by case, with the values of bench/field.npy
//	         rechunk          copies the array at path to out, in uncompressed chunks of 64 × 64 that span the first axis
//	         group            opens the group at path and its members
//	         names            opens the group at path and lists the names in it
//	         opengroup_array  opens the group at path, then v07 in it, and reads that
//	         raw16            reads the stored elements of the variable t of the dataset at path
//	         decoded          reads its decoded elements, as floats of the type in the task
//	         month            reads the decoded elements of a month
//	         statistics       computes the number, minimum, maximum, mean and standard deviation of t
//	         histogram        counts its decoded elements in bins of equal width in a range
//	         monthly, series  writes the mean of each month, or of each time, as a dataset at out
//	where    file, below the directory root, or s3: bucket at endpoint, in path style, without credentials
//	format   2, 3, or null to detect it
//
// The members of a result are:
//
//	seconds, cpu             from before the store is opened until the last value is in memory or stored
//	rss_mb                   peak memory of the process in MiB
//	answer                   numbers that all libraries must agree on: statistics, counts, or for
//	                         decoded elements their number, sum and weighted sum
//	bytes, crc               size and CRC-32/IEEE of the values in C order, little-endian; for a group, crc is the count
//	count                    number of members of the group, or of names
//	requests, ops, wire, max_concurrent, connections, not_found, faults
//	                         for s3, as counted by the server at endpoint/__stats
//
// The program uses package openurl to open the store, and package zarr, with the defaults of both,
// as a user would; for statistics it uses what the command stats uses. With -hedge before the task,
// slow reads are sent twice. The data sets of the tasks read to rechunk have the type float32.
package main
