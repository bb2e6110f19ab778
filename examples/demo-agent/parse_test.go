package main

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		line string
		want bool
	}{
		{"a known word with its argument is an instruction", "say hello", true},
		{"space around it doesn't matter", "  say   hello  ", true},
		{"a missing argument makes it prose", "say", false},
		{"an unknown word is prose", "please say hello", false},
		{"a longer word is prose", "sayings are fun", false},
		{"write needs a colon and a space", "write a.txt hello", false},
		{"write may write an empty line", "write a.txt:", true},
		{"a colon in a path is part of it", "write a:b.txt: hello", true},
		{"write needs a path", "write : hello", false},
		{"usage needs two numbers", "usage 1", false},
		{"usage takes no negative number", "usage 1 -1", false},
		{"usage with two numbers is fine", "usage 1 2", true},
		{"exit needs a number", "exit now", false},
		{"sleep needs a duration", "sleep well", false},
		{"sleep takes Go's durations", "sleep 1.5s", true},
		{"a line's size may have a unit", "line 8MiB", true},
		{"a line's size is a number", "line big", false},
		{"crash takes no argument", "crash the party", false},
		{"child's file is optional", "child", true},
		{"ask needs something to ask for", "ask nicely", false},
		{"an empty line is prose", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := parse(tt.line); got != tt.want {
				t.Errorf("parse(%q) found an instruction: %v, want %v", tt.line, got, tt.want)
			}
		})
	}
}

func TestHelpNamesEveryInstruction(t *testing.T) {
	for _, in := range instructions() {
		if !strings.Contains(help(), "\n  "+in.words) {
			t.Errorf("help lacks %q", in.words)
		}
	}
}

func TestTailKeepsTheEndAndWholeCharacters(t *testing.T) {
	tests := []struct {
		name  string
		input string
		shown string
	}{
		{"plain text is shown as it is", "abc", "abc"},
		{"a character cut off at the end waits", "ab\xe2\x82", "ab"},
		{"a whole character is shown", "ab€", "ab€"},
		{"what isn't UTF-8 is shown as it is", "a\xff", "a\xff"},
		{"too much loses its beginning, at a character", "€" + strings.Repeat("x", tailLimit-1), strings.Repeat("x", tailLimit-1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tail := newTail(func(string) {})
			tail.close()
			if _, err := tail.Write([]byte(tt.input)); err != nil {
				t.Fatal(err)
			}
			if got, _ := tail.news(); got != tt.shown {
				t.Errorf("shown: %d bytes %.40q, want %d bytes %.40q", len(got), got, len(tt.shown), tt.shown)
			}
		})
	}
}
