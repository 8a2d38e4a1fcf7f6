// Command lines prints how many lines each part of the project has.
package main
