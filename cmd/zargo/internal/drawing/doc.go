// Package drawing implements the commands that draw values: plot and picture.
package drawing
