// Package upkeep implements the commands that check, compare, count and maintain what is stored:
// validate, diff, hash, census, bucket check, consolidate, migrate, rm and attrs.
package upkeep
