package shell

import (
	"slices"
	"strings"
)

// unpack runs an archiver. What is unpacked was written by whoever packed it.
func (w *walker) unpack(c *call) stream {
	switch c.name {
	case "tar", "gtar", "bsdtar":
		return w.tar(c)
	case "unzip":
		p := parse(c.args, " -d -x -P ", false)
		if len(p.args) > 0 {
			w.readAll(p.args[:1])
		}
		if !p.has("-l", "-t", "-v", "-Z", "-p", "-c") {
			w.unpackTo(p.values("-d"))
		}
	case "cpio":
		p := parse(c.args, " -D -F -I -O -H ", false)
		w.readAll(p.values("-F", "-I"))
		if p.has("-i", "--extract", "-p") {
			w.unpackTo(p.values("-D"))
		}
		w.writeAll(p.values("-O"))
	default: // 7z, unrar
		if len(c.args) == 0 {
			return stream{there: true}
		}
		var into, files []value
		for _, v := range c.args[1:] {
			switch {
			case strings.HasPrefix(v.s, "-o"):
				into = append(into, literal(v.s[2:]))
			case !v.option():
				files = append(files, v)
			}
		}
		switch c.args[0].s {
		case "x", "e":
			w.readAll(files)
			w.unpackTo(into)
		case "a", "u", "d":
			w.writeAll(files[:min(1, len(files))])
			w.readAll(files[min(1, len(files)):])
		default:
			w.readAll(files)
		}
	}
	return stream{there: true, web: w.in.web}
}

// unpackTo says that somebody else's files are written into the directories, or
// into the current one.
func (w *walker) unpackTo(into []value) {
	if len(into) == 0 {
		into = literals(".")
	}
	for _, p := range w.writeAll(into) {
		w.fetch(p)
	}
}

func (w *walker) tar(c *call) stream {
	args := c.args
	if len(args) > 0 && !args[0].option() && !strings.Contains(args[0].s, "=") {
		args = append([]value{literal("-" + args[0].s)}, args[1:]...) // the old form: tar xzf a
		if i := strings.IndexByte(args[0].s, 'f'); i >= 0 && i < len(args[0].s)-1 {
			args[0].s = args[0].s[:i] + args[0].s[i+1:] + "f"
		}
	}
	p := parse(args, " -f -C -T -X -I --file --directory --exclude --use-compress-program --transform --strip-components --to-command --checkpoint-action --rsh-command ", false)
	for _, o := range p.opts {
		switch o.name {
		case "--to-command", "--use-compress-program", "-I", "--rsh-command":
			w.runText(o.val.s, stream{there: true})
		case "--checkpoint-action":
			w.runText(strings.TrimPrefix(o.val.s, "exec="), stream{there: true})
		}
	}
	files := p.values("-f", "--file")
	switch {
	case p.has("-x", "--extract", "--get"):
		w.readAll(slices.DeleteFunc(slices.Clone(files), func(v value) bool { return v.s == "-" }))
		if !p.has("-O", "--to-stdout") {
			w.unpackTo(p.values("-C", "--directory"))
		}
	case p.has("-c", "-r", "-u", "--create", "--append", "--update"):
		w.writeAll(slices.DeleteFunc(slices.Clone(files), func(v value) bool { return v.s == "-" }))
		if dirs := p.values("-C", "--directory"); len(dirs) > 0 {
			w.apart(func() stream { w.cd(dirs); w.readAll(p.args); return stream{} })
		} else {
			w.readAll(p.args)
		}
	default:
		w.readAll(files)
	}
	if p.has("--remove-files") {
		w.does(shellDestroy)
		for _, v := range p.args {
			for _, f := range w.paths(v) {
				w.remove(f)
			}
		}
	}
	return stream{there: true, web: w.in.web}
}
