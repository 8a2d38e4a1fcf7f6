// Package writing implements the commands that change elements or the shape of arrays: put, append,
// blank and resize. They keep the attributes true that describe the elements.
package writing
