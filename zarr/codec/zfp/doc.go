// Package zfp
package zfp
