package mcp

import (
	"fmt"
	"slices"
	"strings"
)

// Starts says by which command lines a server is started. A name that merely looks alike
// is none: words of a server that is taken for a memory taint less than those of a stranger.
type Starts struct {
	NPM      []string `yaml:"npm"`      // packages, as npx and its like name them
	PyPI     []string `yaml:"pypi"`     // packages, as uvx and its like name them, in any of their spellings
	Modules  []string `yaml:"modules"`  // of Python, run with -m
	Images   []string `yaml:"images"`   // of containers, without tag
	Commands []string `yaml:"commands"` // programs on the path, with the words that have to follow
	URLs     []string `yaml:"urls"`     // of a hosted server, which the bridge mcp-remote is given
}

const (
	maxStarts = 100 // names of one kind
	maxStart  = 200 // bytes of a name
)

func (s Starts) check() error {
	for _, kind := range []struct {
		name string
		all  []string
		also string // characters that it may have beside letters, digits and . _ -
	}{
		{"npm", s.NPM, "@/"}, {"pypi", s.PyPI, ""}, {"modules", s.Modules, ""}, {"images", s.Images, "/:"}, {"commands", s.Commands, " "}, {"urls", s.URLs, ":/"},
	} {
		if len(kind.all) > maxStarts {
			return fmt.Errorf("%s has %d names: at most %d", kind.name, len(kind.all), maxStarts)
		}
		for _, name := range kind.all {
			if name == "" || len(name) > maxStart || strings.TrimSpace(name) != name || strings.ContainsAny(name[:1], "-.") || strings.ContainsFunc(name, func(r rune) bool {
				return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-"+kind.also, r)
			}) {
				return fmt.Errorf("%s: %.80q is no such name: want the bare name, without version or path", kind.name, name)
			}
		}
	}
	for _, image := range s.Images {
		if strings.Contains(image[strings.LastIndexByte(image, '/')+1:], ":") {
			return fmt.Errorf("images: %q has a tag: leave it out", image)
		}
	}
	for _, url := range s.URLs {
		if !strings.HasPrefix(url, "https://") {
			return fmt.Errorf("urls: %q: want one that begins with https://", url)
		}
	}
	return nil
}

// StartedBy reports whether a command line, the program first, surely starts the profile's
// server: by a runner of packages with flags that do not change what is run, by a container,
// by an interpreter or by its own program.
func (p *Profile) StartedBy(argv []string) bool {
	if len(argv) > 2 && isProgram(argv[0], "cmd") && strings.EqualFold(argv[1], "/c") {
		argv = argv[2:]
	}
	if len(argv) == 0 {
		return false
	}
	return p.Starts.asCommand(argv) || p.Starts.byRunner(argv)
}

// asCommand reports whether a command line begins with a program of the server and the
// words that follow it. A path counts only in a folder where programs are installed.
func (s Starts) asCommand(argv []string) bool {
	return slices.ContainsFunc(s.Commands, func(command string) bool {
		words := strings.Fields(command)
		return len(argv) >= len(words) && isInstalled(argv[0], words[0]) && slices.Equal(argv[1:len(words)], words[1:])
	})
}

// inEnvironment is asCommand for a program that a runner finds in what it made.
func (s Starts) inEnvironment(argv []string) bool {
	return len(argv) > 0 && !strings.ContainsAny(argv[0], `/\`) && s.asCommand(argv)
}

// isNPM reports whether a word names a package of the server, with or without version.
func (s Starts) isNPM(word string) bool {
	return slices.ContainsFunc(s.NPM, func(name string) bool {
		version, ok := strings.CutPrefix(word, name)
		return ok && (version == "" || version[0] == '@' && !strings.ContainsAny(version, ":/")) // x@npm:y is y
	})
}

// isPyPI reports whether a word names a package of the server, with or without extras and
// version. What comes from elsewhere than the index is another one.
func (s Starts) isPyPI(word string) bool {
	if strings.ContainsAny(word, ":/\\ ;") {
		return false
	}
	name := word
	if i := strings.IndexAny(word, "[@=<>~!"); i >= 0 {
		name = word[:i]
	}
	return slices.ContainsFunc(s.PyPI, func(known string) bool { return pypiName(known) == pypiName(name) })
}

// pypiName is the one form of a package's name that its index knows.
func pypiName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
}

// isImage reports whether a word names an image of the server, with or without tag.
func (s Starts) isImage(word string) bool {
	word, _, _ = strings.Cut(word, "@sha256:")
	if i := strings.LastIndexByte(word, ':'); i > strings.LastIndexByte(word, '/') {
		word = word[:i]
	}
	return slices.Contains(s.Images, strings.TrimPrefix(word, "docker.io/"))
}

// isProgram reports whether a word is a program of that name: found on the path, or at a
// whole path. Windows starts it by a file or by a script.
func isProgram(word, name string) bool {
	dir, base := splitPath(word)
	return (dir == "" || isWhole(dir)) && isNamed(base, name)
}

// isInstalled is isProgram, at a whole path only in a folder of programs: the name says
// less there.
func isInstalled(word, name string) bool {
	dir, base := splitPath(word)
	if dir == "" {
		return isNamed(base, name)
	}
	_, folder := splitPath(strings.TrimRight(dir, `/\`))
	return isWhole(dir) && isNamed(base, name) && (folder == "bin" || folder == ".bin" || strings.EqualFold(folder, "Scripts"))
}

func splitPath(word string) (dir, base string) {
	i := strings.LastIndexAny(word, `/\`) + 1
	return word[:i], word[i:]
}

// isWhole reports whether a folder does not depend on where a program is started.
func isWhole(dir string) bool {
	if slices.Contains(strings.FieldsFunc(dir, func(r rune) bool { return r == '/' || r == '\\' }), "..") {
		return false
	}
	return dir[0] == '/' || len(dir) > 2 && dir[1] == ':' && (dir[2] == '\\' || dir[2] == '/')
}

func isNamed(base, name string) bool {
	return base == name || strings.EqualFold(base, name+".exe") || strings.EqualFold(base, name+".cmd")
}
