package policy

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed profiles/*.yaml
var profiles embed.FS

// Profiles returns the names of the policies that ship, the default first.
func Profiles() []string { return []string{"default", "strict", "observe"} }

// Profile returns the commented file of a policy that ships.
func Profile(name string) ([]byte, error) { return profileFile(name, ".yaml") }

// ProfileCases returns the case file of a policy that ships.
func ProfileCases(name string) ([]byte, error) { return profileFile(name, ".cases.yaml") }

func profileFile(name, suffix string) ([]byte, error) {
	if !slices.Contains(Profiles(), name) {
		return nil, fmt.Errorf("no policy profile is called %q: want one of %s", name, strings.Join(Profiles(), ", "))
	}
	return profiles.ReadFile("profiles/" + name + suffix)
}
