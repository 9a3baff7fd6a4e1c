package doctor

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/hook"
	"github.com/hearsay-memory/hearsay/internal/instance"
	"github.com/hearsay-memory/hearsay/internal/memfile"
	"github.com/hearsay-memory/hearsay/internal/tell"
)

// files looks at the memory files of the project and of the agents in the user's home.
// Every one is read: nothing is taken for unchanged by its looks.
func (x *examination) files(ctx context.Context, in *instance.Instance, userHome, project string) {
	rules := in.Guard.Policy()
	if rules == nil {
		return // said by the check of the policy
	}
	files := hook.NewFiles(rules, userHome, project, in.Home.Dir())
	names, complete := files.Memory()
	known, err := in.Guard.FilePaths(ctx, in.Caller(hearsay.SurfaceCLI).Principal)
	if err != nil {
		x.cannot("memory", err)
		return
	}
	for _, name := range known {
		if files.Class(name) == memfile.Memory {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	odd, more := files.Unseen()
	for i, o := range odd {
		names = slices.DeleteFunc(names, func(name string) bool { return name == o.Path })
		if i == tell.MaxNamed {
			x.add("memory", Warn, "make them ordinary files with one name, below the bounds", "%d more guarded names are not looked at", len(odd)-i)
		}
		if i >= tell.MaxNamed {
			continue
		}
		x.add("memory", Warn, "make it an ordinary file with one name, below the bounds", "%s is not looked at: it is %s", o.Path, o.Why)
	}
	var seen seenFiles
	if err := seen.look(ctx, in, names); err != nil {
		x.cannot("memory", err)
		return
	}
	seen.indexes(files, names)
	if more || !complete {
		x.add("memory", Warn, "move memory folders apart, or narrow files.memory in the policy", "there are more memory files than the %d that are looked at: what changes in the others is not found", memfile.MaxListed)
	}
	x.memory(&seen)
}

// memory judges what was counted of memory files.
func (x *examination) memory(seen *seenFiles) {
	for _, name := range seen.unread {
		x.add("memory", Warn, "make it a regular file with one name, below the bounds", "%s", name)
	}
	switch {
	case seen.files == 0:
		x.add("memory", OK, "", "no memory files are here")
	case seen.low > 0:
		x.add("memory", Warn, "look with `hearsay blame FILE`, and adopt what is yours with `hearsay attest FILE:LINES`",
			"%s, %s; nobody was seen writing %d of the lines, or they come from outside", tell.Count(seen.files, "guarded file", "guarded files"), tell.Count(seen.lines, "line", "lines"), seen.low)
	default:
		x.add("memory", OK, "", "%s, %s, each of known origin", tell.Count(seen.files, "guarded file", "guarded files"), tell.Count(seen.lines, "line", "lines"))
	}
	if len(seen.drifted) > 0 {
		x.add("drift", Warn, "`hearsay diff FILE` shows it; the next session of an agent settles it", "%s changed and nobody was seen writing: %s", tell.Count(len(seen.drifted), "file", "files"), tell.Few(seen.drifted))
	}
	if len(seen.gone) > 0 {
		x.add("drift", Warn, "bring them back if they should be there; the next session of an agent settles it", "%s gone since the last look: %s", tell.Count(len(seen.gone), "file", "files"), tell.Few(seen.gone))
	}
	if len(seen.ends) > 0 {
		x.add("drift", OK, "", "%s with other line ends, and else as recorded: %s", tell.Count(len(seen.ends), "file", "files"), tell.Few(seen.ends))
	}
	if len(seen.new) > 0 {
		x.add("drift", OK, "", "%s not looked at before, which the next session of an agent does: %s", tell.Count(len(seen.new), "file", "files"), tell.Few(seen.new))
	}
	if len(seen.withoutFile) > 0 {
		x.add("index", Warn, "write the topic file, or take the line out of the index", "named in an index, and not there: %s", tell.Few(seen.withoutFile))
	}
	if len(seen.unlisted) > 0 {
		x.add("index", Warn, "name the file in "+hook.Index+" beside it, or delete it", "there, and in no line of the index beside it: %s", tell.Few(seen.unlisted))
	}
}

// seenFiles is what doctor counts of memory files.
type seenFiles struct {
	files, lines, low     int      // low: lines below an agent's own word, or tainted
	drifted, new          []string // names of files
	ends, gone            []string // those of which only line ends changed, and those that are gone
	unread                []string // names, each with why
	unlisted, withoutFile []string // topic files that an index lacks, and that lack for an index
}

// look counts lines by who said them.
func (f *seenFiles) look(ctx context.Context, in *instance.Instance, names []string) error {
	t := memfile.Tracker{Guard: in.Guard, Caller: in.Caller(hearsay.SurfaceCLI)}
	for _, name := range names {
		s, err := t.Look(ctx, name)
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if err != nil {
			f.unread = append(f.unread, fmt.Sprintf("%s is not looked at: %v", name, err))
			continue
		}
		if s.Data == nil {
			if s.Changed() {
				f.gone = append(f.gone, name)
			}
			continue
		}
		f.files++
		f.lines += s.File.Lines()
		for r, o := range s.File.All() {
			if memfile.Low(o.Label) {
				f.low += r.Len()
			}
		}
		switch {
		case s.First():
			f.new = append(f.new, name)
		case s.OnlyEnds():
			f.ends = append(f.ends, name)
		case s.Changed() && s.Git.Explained():
			f.drifted = append(f.drifted, name+", "+s.Git.String())
		case s.Changed():
			f.drifted = append(f.drifted, name)
		}
	}
	return nil
}

// indexes compares each index with the topic files beside it.
func (f *seenFiles) indexes(files *hook.Files, names []string) {
	beside := make(map[string][]string)
	for _, name := range names {
		beside[path.Dir(name)] = append(beside[path.Dir(name)], name)
	}
	for _, name := range names {
		if path.Base(name) != hook.Index {
			continue
		}
		data, err := memfile.Read(name)
		if err != nil || data == nil {
			continue // said where it was looked at
		}
		dir := path.Dir(name)
		topics := memfile.Topics(data)
		listed := make(map[string]bool)
		for _, topic := range topics {
			listed[strings.ToLower(topic)] = true
			if topic != hook.Index && !files.Exists(dir, topic) {
				f.withoutFile = append(f.withoutFile, path.Join(dir, topic))
			}
		}
		for _, other := range beside[dir] {
			if files.Indexed(other) && !listed[strings.ToLower(path.Base(other))] {
				f.unlisted = append(f.unlisted, other)
			}
		}
	}
	slices.Sort(f.withoutFile)
}
