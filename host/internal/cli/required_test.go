package cli

import "testing"

func TestPluginVersionsAreHeldAgainstTheConstraint(t *testing.T) {
	for _, c := range []struct {
		has, want string
		fits      bool
	}{
		{"1.2.3", "~> 1.2", true},
		{"2.0.0", "~> 1.2", false},
		{"1.1.9", ">= 1.2", false},
		{"1.1.9", "", true},
		{"dev", "~> 1.2", true},
		{"1.0.0", "nonsense", false},
	} {
		if err := fitsVersion("docker", c.has, c.want); (err == nil) != c.fits {
			t.Errorf("%s against %q: %v", c.has, c.want, err)
		}
	}
}
