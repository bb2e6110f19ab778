package schema

import "strconv"

// PathError is what is wrong with one value of a configuration. The host points
// at the line the path leads to.
type PathError struct {
	// Path leads to the value: `image`, `mount[0].target`, `env["A"]`; empty means
	// the whole block.
	Path string
	// Message says what is wrong, without the path and without the value.
	Message string
}

// Error gives path and message.
func (e *PathError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Attr extends path by an attribute's or block's name.
func Attr(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Index extends path by a position in a list.
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Key extends path by a key of a map.
func Key(path, key string) string { return path + "[" + strconv.Quote(key) + "]" }
