// Package wire converts between the Go contracts and the protocol's messages.
//
// Every conversion is total: whatever the value, there is a message that can be
// encoded, and whatever the message, there is a value. What is a bytes field
// survives byte by byte; text that isn't UTF-8 in a string field is repaired,
// since the protocol can't carry it. Durations have a millisecond on the wire
// and are rounded up, so that a short timeout never becomes none.
//
// Only sdk/plugin imports it.
package wire
