package main

import "strings"

// cli is the grammar of the command line.
type cli struct {
	globals

	Info        infoCmd        `cmd:"" help:"Describe an array or a group."`
	Ls          lsCmd          `cmd:"" help:"List the members of a group."`
	Du          duCmd          `cmd:"" help:"Print the number of stored objects and bytes of an array, or of each node of a group."`
	Attrs       attrsCmd       `cmd:"" help:"Print or change attributes."`
	Create      createCmd      `cmd:"" help:"Create an array or a group."`
	Put         putCmd         `cmd:"" help:"Write a .npy file into an array."`
	Append      appendCmd      `cmd:"" help:"Extend an array, or several arrays of a group, and write .npy files after the existing elements."`
	Blank       blankCmd       `cmd:"" help:"Set a part of an array, or of the arrays of a group, to missing values, and delete chunks that have no other values."`
	Resize      resizeCmd      `cmd:"" help:"Change the shape of an array."`
	Cat         catCmd         `cmd:"" help:"Print an array or a part of it."`
	Plot        plotCmd        `cmd:"" help:"Plot the values along one axis in the terminal."`
	Picture     pictureCmd     `cmd:"" help:"Draw a picture of two dimensions of an array, as a PNG file or on the terminal."`
	Stats       statsCmd       `cmd:"" help:"Print the minimum, maximum, mean and standard deviation of an array, and count missing elements."`
	Hist        histCmd        `cmd:"" help:"Print a histogram of an array."`
	Dump        dumpCmd        `cmd:"" help:"Print a dataset as CDL, as ncdump does."`
	Copy        copyCmd        `cmd:"" help:"Copy an array, or a group with all nodes below it, to another store, chunk shape, codec or format."`
	Transfer    transferCmd    `cmd:"" help:"Copy according to a plan that several machines can run."`
	Pyramid     pyramidCmd     `cmd:"" help:"Create the levels of an image pyramid: an array with fewer and fewer elements along its horizontal dimensions."`
	Plan        planCmd        `cmd:"" help:"Print the requests and the cost of reading or writing an array, without making the requests."`
	Consolidate consolidateCmd `cmd:"" help:"Write consolidated metadata of a hierarchy, or check it."`
	Rm          rmCmd          `cmd:"" help:"Delete an array, or a group with all nodes below it."`
	Migrate     migrateCmd     `cmd:"" help:"Write v3 metadata for v1 and v2 nodes. Chunks remain unchanged."`
	Validate    validateCmd    `cmd:"" help:"Check metadata, keys and chunks against the rules, or print values for the conformance tests."`
	Diff        diffCmd        `cmd:"" help:"Compare the metadata and values of two arrays or hierarchies."`
	Hash        hashCmd        `cmd:"" help:"Write the SHA-256 of all objects stored below a URL, or check it."`
	Census      censusCmd      `cmd:"" help:"Count the stored, absent and corrupt chunks of arrays, including inner chunks, and their bytes."`
	Bucket      bucketCmd      `cmd:"" help:"Check how a bucket behaves."`
	Completion  completionCmd  `cmd:"" help:"Print a completion script for a shell."`
	VersionCmd  versionCmd     `cmd:"" name:"version" help:"Print the version."`
	Help        helpCmd        `cmd:"" help:"Print this help, or the help of a command."`
}

// writes reports whether a command with these flags changes a store, or rehearses a change. Stores
// of read-only credentials refuse all writes.
func (c *cli) writes(command string) bool {
	switch name, _, _ := strings.Cut(command, " "); name {
	case "create", "put", "append", "blank", "resize", "copy", "pyramid", "rm", "migrate":
		return true
	case "validate":
		return c.Validate.Repair && !c.Validate.DryRun
	case "attrs":
		return len(c.Attrs.Set)+len(c.Attrs.Unset) > 0
	case "consolidate":
		return !c.Consolidate.Check
	case "transfer":
		return !strings.HasPrefix(command, "transfer verify")
	case "bucket":
		return !c.Bucket.Check.ReadOnly
	}
	return false
}
