// Package creating implements create, which creates nodes by flags, or like another node, a CDL
// file or a JSON file.
package creating
