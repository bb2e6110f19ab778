package main

import "fmt"

// layers knows how far each layer of an image is that is pulled.
type layers struct {
	by    map[string]layer
	shown int // percent: layers that come to be known later take nothing back
}

type layer struct {
	got, size int64 // bytes; size is 0 until it begins to come
	here      bool
}

func (l *layers) take(m pullMessage) {
	state := l.by[m.ID]
	switch m.Status {
	case "Pulling fs layer", "Waiting":
	case "Downloading":
		state.got, state.size = m.Progress.Current, m.Progress.Total
	case "Download complete", "Already exists", "Pull complete":
		state.got, state.here = state.size, true
	default:
		return // of the whole image, or what is done with a layer that is here
	}
	if m.ID != "" {
		l.by[m.ID] = state
	}
}

// count says how many layers have come; empty as long as none is known of.
func (l *layers) count() string {
	here := 0
	for _, state := range l.by {
		if state.here {
			here++
		}
	}
	if len(l.by) == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %d layers", here, len(l.by))
}

// percent is that of the bytes that are known of; -1 where none are.
func (l *layers) percent() int {
	var got, size int64
	for _, state := range l.by {
		got, size = got+state.got, size+state.size
	}
	if size == 0 {
		return -1
	}
	l.shown = max(l.shown, int(100*got/size))
	return l.shown
}
