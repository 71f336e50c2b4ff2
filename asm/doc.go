// Package asm holds the assembly routines of package kernels and their Go stubs, one
// per instruction set, and nothing else.
//
// A routine checks nothing: its comment says what the caller has made sure of, and
// package kernels is that caller. Which CPU features a routine needs is in its name:
// AVX2 stands for AVX2, BMI1, BMI2, LZCNT, POPCNT and PCLMULQDQ, NEON for the Advanced
// SIMD that every arm64 system has. With the build tag purego the package is empty.
package asm
