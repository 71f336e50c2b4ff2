//go:build !unix

package main

// processUsage returns zeros: the system does not say.
func processUsage() usage { return usage{} }
