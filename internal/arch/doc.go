// Package arch has no code: its tests hold the rules about the source tree that no
// compiler checks. Imports only go down, nothing uses cgo, the core's dependencies are
// the ones it names, files stay short, build tags are ones the project builds with.
package arch
