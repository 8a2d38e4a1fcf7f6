// Package exit has the errors of the command and their exit codes. [Table] is the table of the
// codes, which the help prints. Errors name the URL or the file that they concern; see [At].
package exit
