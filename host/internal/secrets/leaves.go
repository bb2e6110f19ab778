package secrets

import (
	"bytes"
	"encoding/json"
)

// leaf is a value in a JSON text that has no parts. Places and values are told
// apart by hashes: two of them alike would have a text scrubbed as the piece of
// another, no more.
type leaf struct {
	path     uint64 // the names of members on the way
	hash     uint64 // path and value; 0: one that differs in each line, by its name, or a long one
	text     bool   // it is a string
	from, to int    // where it stands, with its quotes
}

// value is the text of a leaf that is one.
func (f leaf) value(line []byte) []byte {
	raw := line[f.from+1 : f.to-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var text string
	if json.Unmarshal(line[f.from:f.to], &text) != nil {
		return raw
	}
	return []byte(text)
}

// leaves adds those of a line to all. A line that is no JSON has any or none.
func leaves(line []byte, all []leaf) []leaf {
	type level struct {
		path uint64
		list bool
	}
	above := make([]level, 0, 16)
	path, name, unlike := seed, false, false
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case '{', '[':
			above = append(above, level{path, c == '['})
			name = c == '{'
			i++
		case '}', ']':
			if len(above) == 0 {
				return all
			}
			path, above = above[len(above)-1].path, above[:len(above)-1]
			i++
		case ',':
			if len(above) > 0 {
				name = !above[len(above)-1].list
			}
			i++
		case ' ', '\t', '\r', '\n', ':':
			i++
		case '"':
			end := endOfString(line, i)
			if end < 0 {
				return all
			}
			if name && len(above) > 0 {
				path, name = mix(above[len(above)-1].path, line[i:end]), false
				unlike = bytes.Equal(line[i:end], []byte(`"uuid"`)) || bytes.Equal(line[i:end], []byte(`"timestamp"`))
			} else {
				all = append(all, leafAt(line, path, i, end, true, unlike))
			}
			i = end
		default:
			end := i + 1
			for end < len(line) && bytes.IndexByte([]byte(",]} \t\r\n"), line[end]) < 0 {
				end++
			}
			all = append(all, leafAt(line, path, i, end, false, unlike))
			i = end
		}
	}
	return all
}

func leafAt(line []byte, path uint64, from, to int, text, unlike bool) leaf {
	f := leaf{path: path, text: text, from: from, to: to}
	if !unlike && to-from <= 64 {
		f.hash = mix(path, line[from:to])
	}
	return f
}

func endOfString(line []byte, from int) int {
	for i := from + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// seed and mix are those of FNV.
const seed uint64 = 14695981039346656037

func mix(h uint64, data []byte) uint64 {
	h = (h ^ uint64(len(data))) * 1099511628211
	for _, c := range data {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// quoted is a text as JSON.
func quoted(text []byte) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(string(text)) // a string always encodes
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
