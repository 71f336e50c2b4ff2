//go:build purego || !(amd64 || arm64)

package kernels

// detectLevel has nothing to choose from: this build holds no assembly.
func detectLevel() Level { return Generic }
