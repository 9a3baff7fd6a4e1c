package mcp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Bounds of a profile.
const (
	maxProfile = 256 << 10 // bytes
	maxSays    = 1_000
	maxTools   = 1_000
)

// LoadProfile returns a shipped profile.
func LoadProfile(name string) (*Profile, error) {
	data, err := profiles.ReadFile("profiles/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no profile %q: there are %s", name, strings.Join(ProfileNames(), ", "))
	}
	return ParseProfile(data)
}

// ProfileNames lists the shipped profiles.
func ProfileNames() []string {
	entries, err := profiles.ReadDir("profiles")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ParseProfile reads a profile strictly: unknown keys are errors, and so is what could
// only be meant otherwise.
func ParseProfile(data []byte) (*Profile, error) {
	if len(data) > maxProfile {
		return nil, fmt.Errorf("profile: it has %d bytes: at most %d", len(data), maxProfile)
	}
	p := new(Profile)
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if !IsProfileName(p.Name) {
		return nil, fmt.Errorf("profile: its name is %q: want 1 to 64 small letters, digits and -", p.Name)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	p.keys = make(map[string]bool)
	for _, key := range p.Keys {
		p.keys[key] = true
	}
	for _, e := range p.Results {
		for step := range strings.SplitSeq(e.At, ".") {
			p.keys[strings.TrimSuffix(step, "[]")] = true
		}
		for _, part := range e.Parts {
			p.keys[strings.TrimPrefix(part, "^")] = true
		}
	}
	return p, nil
}

// IsProfileName reports whether a name can be that of a profile, and so of a file.
func IsProfileName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (p *Profile) check() error {
	if len(p.Tools) > maxTools || len(p.Says) > maxSays {
		return fmt.Errorf("it has %d tools and %d lines of the server's own: at most %d and %d", len(p.Tools), len(p.Says), maxTools, maxSays)
	}
	if err := p.Starts.check(); err != nil {
		return fmt.Errorf("starts: %w", err)
	}
	p.exact = len(p.Tools) > 0
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		t := p.Tools[name]
		if err := t.check(p); err != nil {
			return fmt.Errorf("tool %s: %w", name, err)
		}
		p.exact = p.exact && (t.Op == opRead || t.answered())
	}
	for _, e := range p.Results {
		if err := e.check(); err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	for _, line := range p.Says {
		ph, err := parsePhrase(line)
		if err != nil {
			return fmt.Errorf("says: %w", err)
		}
		p.says = append(p.says, ph)
	}
	// Of two that fit, the one that says more by itself is meant.
	slices.SortStableFunc(p.says, func(a, b phrase) int { return b.fixed - a.fixed })
	return nil
}

func (t Tool) check(p *Profile) error {
	switch t.Op {
	case opRead:
		if t.Items != nil || t.Landed != nil || t.Ingests != nil || t.Before != nil || t.Names != nil || t.Undo != nil {
			return fmt.Errorf("it reads: items, landed, ingests, before, names and undo are of tools that change something")
		}
		for arg := range t.Values {
			if !slices.Contains(t.Arguments, arg) {
				return fmt.Errorf("values of %q, which is not among its arguments", arg)
			}
		}
	case opCreate, opUpdate, opDelete:
		if t.Arguments != nil || t.Values != nil {
			return fmt.Errorf("it changes something: arguments and values are of tools that read")
		}
	default:
		return fmt.Errorf("the operation is %q: want read, create, update or delete", t.Op)
	}
	if t.Undo != nil {
		if t.Op == opDelete {
			return fmt.Errorf("it deletes: what it took out cannot be put back by undo")
		}
		if err := t.Undo.check(p); err != nil {
			return err
		}
	}
	if t.Before != nil && p.Tools[t.Before.Tool].Op != opRead {
		return fmt.Errorf("before calls %q: want one of its tools that reads", t.Before.Tool)
	}
	for _, e := range slices.Concat(t.Items, t.Landed) {
		if err := e.check(); err != nil {
			return err
		}
	}
	return nil
}

func (e Expr) check() error {
	if e.Kind == "" || e.At == "" || len(e.Parts) == 0 {
		return fmt.Errorf("an item needs kind, at and parts")
	}
	return nil
}
