// Package cli is the command line: one file per verb, which parses its flags,
// calls the engine and renders. It holds no logic of its own.
//
// It is the only package that prints, and the only one that reads arguments,
// environment, working directory and signals; all of it comes in through World.
// stdout carries results, stderr progress and diagnostics.
package cli
