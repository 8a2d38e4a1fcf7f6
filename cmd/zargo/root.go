package main

import (
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/copying"
	"github.com/zargo-io/zargo/cmd/zargo/internal/creating"
	"github.com/zargo-io/zargo/cmd/zargo/internal/describing"
	"github.com/zargo-io/zargo/cmd/zargo/internal/drawing"
	"github.com/zargo-io/zargo/cmd/zargo/internal/reading"
	"github.com/zargo-io/zargo/cmd/zargo/internal/serving"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/cmd/zargo/internal/upkeep"
	"github.com/zargo-io/zargo/cmd/zargo/internal/writing"
)

// cli is the grammar of the command line.
type cli struct {
	session.Globals

	Info        describing.Info    `cmd:"" help:"Describe an array or a group."`
	Ls          describing.Ls      `cmd:"" help:"List the members of a group."`
	Du          describing.Du      `cmd:"" help:"Print the number of stored objects and bytes of an array, or of each node of a group."`
	Attrs       upkeep.Attrs       `cmd:"" help:"Print or change attributes."`
	Create      creating.Create    `cmd:"" help:"Create an array or a group."`
	Put         writing.Put        `cmd:"" help:"Write a .npy file into an array."`
	Append      writing.Append     `cmd:"" help:"Extend an array, or several arrays of a group, and write .npy files after the existing elements."`
	Blank       writing.Blank      `cmd:"" help:"Set a part of an array, or of the arrays of a group, to missing values, and delete chunks that have no other values."`
	Resize      writing.Resize     `cmd:"" help:"Change the shape of an array."`
	Cat         reading.Cat        `cmd:"" help:"Print an array or a part of it."`
	Plot        drawing.Plot       `cmd:"" help:"Plot the values along one axis in the terminal."`
	Picture     drawing.Picture    `cmd:"" help:"Draw a picture of two dimensions of an array, as a PNG file or on the terminal."`
	Stats       reading.Stats      `cmd:"" help:"Print the minimum, maximum, mean and standard deviation of an array, and count missing elements."`
	Hist        reading.Hist       `cmd:"" help:"Print a histogram of an array."`
	Dump        reading.Dump       `cmd:"" help:"Print a dataset as CDL, as ncdump does."`
	Copy        copying.Copy       `cmd:"" help:"Copy an array, or a group with all nodes below it, to another store, chunk shape, codec or format."`
	Serve       serving.Serve      `cmd:"" help:"Serve datasets over HTTP."`
	Transfer    copying.Transfer   `cmd:"" help:"Copy according to a plan that several machines can run."`
	Pyramid     copying.Pyramid    `cmd:"" help:"Create the levels of an image pyramid: an array with fewer and fewer elements along its horizontal dimensions."`
	Reduce      copying.Reduce     `cmd:"" help:"Reduce a dataset along dimensions: means, sums, extremes, counts, by groups of time."`
	Plan        reading.Plan       `cmd:"" help:"Print the requests and the cost of reading or writing an array, without making the requests."`
	Consolidate upkeep.Consolidate `cmd:"" help:"Write consolidated metadata of a hierarchy, or check it."`
	Rm          upkeep.Rm          `cmd:"" help:"Delete an array, or a group with all nodes below it."`
	Migrate     upkeep.Migrate     `cmd:"" help:"Write v3 metadata for v1 and v2 nodes. Chunks remain unchanged."`
	Validate    upkeep.Validate    `cmd:"" help:"Check metadata, keys and chunks against the rules, or print values for the conformance tests."`
	Diff        upkeep.Diff        `cmd:"" help:"Compare the metadata and values of two arrays or hierarchies."`
	Hash        upkeep.Hash        `cmd:"" help:"Write the SHA-256 of all objects stored below a URL, or check it."`
	Census      upkeep.Census      `cmd:"" help:"Count the stored, absent and corrupt chunks of arrays, including inner chunks, and their bytes."`
	Bucket      upkeep.Bucket      `cmd:"" help:"Check how a bucket behaves."`
	Completion  completionCmd      `cmd:"" help:"Print a completion script for a shell."`
	VersionCmd  versionCmd         `cmd:"" name:"version" help:"Print the version."`
	Help        helpCmd            `cmd:"" help:"Print this help, or the help of a command."`
}

// writes reports whether a command with these flags changes a store, or rehearses a change. Stores
// of read-only credentials refuse all writes.
func (c *cli) writes(command string) bool {
	switch name, _, _ := strings.Cut(command, " "); name {
	case "create", "put", "append", "blank", "resize", "copy", "pyramid", "reduce", "rm", "migrate":
		return true
	case "validate":
		return c.Validate.Repair && !c.Validate.DryRun
	case "attrs":
		return len(c.Attrs.Set)+len(c.Attrs.Unset) > 0
	case "consolidate":
		return !c.Consolidate.Check
	case "serve":
		return c.Serve.Writable
	case "transfer":
		return !strings.HasPrefix(command, "transfer verify")
	case "bucket":
		return !c.Bucket.Check.ReadOnly
	}
	return false
}

// handlesAll reports whether a command handles all nodes of a group, so that a user expects the
// same of everything in it.
func handlesAll(command string) bool {
	name, rest, _ := strings.Cut(command, " ")
	return slices.Contains([]string{"copy", "migrate"}, name) || name == "transfer" && strings.HasPrefix(rest, "plan")
}
