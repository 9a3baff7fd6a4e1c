package attack

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed scenarios/*.txtar
var scenarios embed.FS

// Scenario is one attack.
type Scenario struct {
	ID    string // "ML-001"
	Title string
	Story string
	moves []move
}

// move is one line of a script.
type move struct {
	verb string
	args []string
	line int
}

// Scenarios returns all attacks, in the order of their ids.
func Scenarios() ([]Scenario, error) {
	entries, err := fs.ReadDir(scenarios, "scenarios")
	if err != nil {
		return nil, err
	}
	var all []Scenario
	for _, e := range entries {
		data, err := scenarios.ReadFile("scenarios/" + e.Name())
		if err != nil {
			return nil, err
		}
		s, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), data)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// parse reads one scenario.
func parse(id string, data []byte) (Scenario, error) {
	ar := txtar.Parse(data)
	title, story, _ := strings.Cut(strings.TrimSpace(string(ar.Comment)), "\n")
	s := Scenario{ID: id, Title: title, Story: strings.TrimSpace(story)}
	if len(ar.Files) != 1 || ar.Files[0].Name != "script" || title == "" {
		return s, fmt.Errorf("scenario %s: want a story and one file called script", id)
	}
	for n, line := range strings.Split(string(ar.Files[0].Data), "\n") {
		if line == "" {
			continue
		}
		args, err := split(line)
		if err != nil {
			return s, fmt.Errorf("scenario %s, line %d: %w", id, n+1, err)
		}
		s.moves = append(s.moves, move{verb: args[0], args: args[1:], line: n + 1})
	}
	return s, nil
}

// split takes a line apart at spaces; a part in double quotes may have spaces. What
// follows the session of a frame is one part, whatever it has.
func split(line string) ([]string, error) {
	if rest, ok := strings.CutPrefix(line, "frame "); ok {
		session, frame, _ := strings.Cut(rest, " ")
		return []string{"frame", session, strings.ReplaceAll(frame, `\r`, "\r")}, nil
	}
	var parts []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if text, ok := strings.CutPrefix(line, `"`); ok {
			part, rest, closed := strings.Cut(text, `"`)
			if !closed {
				return nil, fmt.Errorf("a quote is not closed")
			}
			parts, line = append(parts, part), rest
			continue
		}
		part, rest, _ := strings.Cut(line, " ")
		parts, line = append(parts, part), rest
	}
	return parts, nil
}
