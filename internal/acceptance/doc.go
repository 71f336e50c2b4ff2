// Package acceptance builds the command and uses it as a hostile user does: inputs that
// change while they are read, signals at any moment, disks that are full, rights that are
// missing, limits that are too low. It has tests only. What the command prints in the
// ordinary case is tested beside it, in cmd/ingot.
//
// A push runs small inputs. INGOT_SOAK=1 runs them at the size that the benchmarks use.
package acceptance
