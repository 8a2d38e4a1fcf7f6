// Package codectext parses codecs in the form of the command line, such as "blosc:lz4:5:shuffle".
//
// All functions are pure and safe for concurrent use.
package codectext
