// Package modelserver plays a model API for tests, on loopback: a coding agent
// asks, and gets what the test's script says, turn by turn. So a real agent
// program runs without a network, a key or chance.
//
// A Script is Go values that know no API. Each API is a dialect in a file of its
// own, which reads requests and writes answers: chat.go, responses.go,
// messages.go. What one
// agent asks beside its conversation (models, titles, summaries) is an Agent,
// also in a file of its own: grok.go, claude.go.
//
// It is no model and no proxy: it decides nothing by what a prompt says. A
// request that the script doesn't have fails the test. Only tests import it.
package modelserver
