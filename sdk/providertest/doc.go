// Package providertest is the conformance suite of providers: each sentence of
// sdk/sandbox's documentation is a case.
//
//	func TestConformance(t *testing.T) {
//		providertest.Run(t, providertest.Options{
//			Open: providertest.Binary(providertest.Launch{Path: binary, Env: os.Environ()}),
//		})
//	}
//
// A case sees what the host sees: processes, files, errors. What it can't see
// that way it asks a shell inside the sandbox, which therefore has to have sh,
// the POSIX tools and setsid; where the sandbox has no isolation, this machine's
// own files and process table are the second opinion. Cases share plugin
// processes, but each has a sandbox of its own and destroys it.
//
// Every capability is tried both ways: what a flag promises must work, what it
// denies must be refused as Unsupported.
//
// The package doesn't import testing, so that a program can run the suite too.
// It is for the tests of providers and for such programs.
package providertest
