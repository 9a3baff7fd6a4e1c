package install

import (
	"cmp"
	"slices"
	"strings"
)

// Flags of [Options.Gateway] that are filled in for each server.
const (
	// ServerName becomes the server's key, as the host spells it in the names of tools:
	// by that name the hook finds the gateway.
	ServerName = "--name={name}"
	// ServerProfile becomes what the server is: what [Options.Profile] says, else source.
	ServerProfile = "--profile={profile}"
)

const (
	nameFlag    = "--name="
	profileFlag = "--profile="

	sourceProfile = "source"

	ownName = "memory" // of our own memory server, where it is not told another

	maxName     = 64 // bytes of a server's name that the proxy takes
	adviceName  = "give it a name of at most 64 small letters, digits, - and _, and install again"
	adviceAlike = "give all but one names that differ in letters or digits, and install again"
	adviceJoin  = "give it a name of at most 64 small letters, digits and _, without -, and install again"
)

// gatewayFor fills in the flags for one server. Only whole words are filled in: a path
// may look like anything.
func (o Options) gatewayFor(name string, command []string) []string {
	out := slices.Clone(o.Gateway)
	for i, word := range out {
		switch word {
		case ServerName:
			out[i] = nameFlag + spelt(name)
		case ServerProfile:
			out[i] = profileFlag + cmp.Or(o.profileOf(command), sourceProfile)
		}
	}
	return out
}

// spelt is a server's name as hosts write it into the names of tools.
func spelt(name string) string {
	s := strings.Map(func(r rune) rune {
		if r < 0x80 && plain(string(r), "") {
			return r
		}
		return '_'
	}, name)
	return s[:min(len(s), maxName)]
}

// hidden reports whether a gateway decides writes under a name that the hook does not
// look for: the proxy takes small letters only, and no more than maxName.
func hidden(name string, gateway []string) bool {
	if p := flagOf(gateway, "profile"); p == "" || p == sourceProfile {
		return false
	}
	s := spelt(name)
	return s == "" || len(name) > maxName || s != strings.ToLower(s) || flagOf(gateway, "name") != s
}

// hides reports whether the hook does not find a gateway that decides writes by what
// the host tells of its tools.
func (h Host) hides(name string, gateway []string) bool {
	p := flagOf(gateway, "profile")
	return hidden(name, gateway) || h.joined && p != "" && p != sourceProfile && strings.Contains(name, "-")
}

// flagOf returns the value of a flag of a gateway, the last one if it is given twice.
func flagOf(gateway []string, name string) string {
	value := ""
	for i, word := range gateway {
		if v, ok := strings.CutPrefix(word, "--"+name+"="); ok {
			value = v
		} else if word == "--"+name && i+1 < len(gateway) {
			value = gateway[i+1]
		}
	}
	return value
}

// gatewayLen says how many words of a command line are our gateway: 0 if a server is
// not wrapped.
func gatewayLen(argv []string) int {
	if len(argv) < 4 || !isProgram(argv[0], gatewayProgram) || argv[1] != "mcp" || argv[2] == "serve" {
		return 0
	}
	i := slices.Index(argv, "--")
	if i < 2 || i == len(argv)-1 {
		return 0
	}
	return i + 1
}

// own reports whether a command line is our own memory server, which nothing has to stand
// before: what it returns is marked and on its session's account already. In a project's
// files, which a stranger may have written, only the program counts that the gateway is.
func own(s Scope, argv, gateway []string) bool {
	if len(argv) < 3 || argv[1] != "mcp" || argv[2] != "serve" {
		return false
	}
	return len(gateway) > 0 && argv[0] == gateway[0] || s == User && isProgram(argv[0], gatewayProgram)
}

// keeps reports whether a gateway that is there may stay: it is the wanted one, or the
// wanted one with another profile or further flags that a person gave it. In a project's
// files, which a stranger may have written, flags are not trusted; another home never is,
// nor another name, which could be that of a server without a gateway: the hook would
// leave that one's calls to us. One that was made when nobody knew the server is brought up
// to date.
func keeps(s Scope, have, want []string) bool {
	if slices.Equal(have, want) {
		return true
	}
	if len(have) == len(want) && flagOf(have, "profile") == sourceProfile && flagOf(want, "profile") != sourceProfile {
		return false
	}
	n := len(want) - 1
	if s != User || len(have) < len(want) {
		return false
	}
	for i := range n {
		if have[i] != want[i] && !(strings.HasPrefix(have[i], profileFlag) && strings.HasPrefix(want[i], profileFlag)) {
			return false
		}
	}
	return !slices.ContainsFunc(have[n:], func(a string) bool {
		return strings.HasPrefix(a, "--home") || strings.HasPrefix(a, "--name")
	})
}

// profileOf says by which profile a proxy reads a server; empty: nobody knows it.
func (o Options) profileOf(command []string) string {
	if o.Profile == nil || len(command) == 0 {
		return ""
	}
	return o.Profile(command)
}
