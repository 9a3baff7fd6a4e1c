package shell

import (
	"path"
	"slices"
	"strings"
)

// filePrograms work on the files that their arguments name.
func filePrograms() map[string]program {
	return map[string]program{
		"cat": {kind: kindPass}, "tac": {kind: kindPass}, "bat": {kind: kindPass, takes: " -l -r "}, "head": {kind: kindPass, takes: " -n -c "}, "tail": {kind: kindPass, takes: " -n -c "},
		"sort": {kind: kindPass, takes: " -k -t -o -S -T --output "}, "uniq": {kind: kindPass, takes: " -f -s -w "}, "shuf": {kind: kindPass, takes: " -n -i -o "},
		"less": {kind: kindPass}, "more": {kind: kindPass}, "pv": {kind: kindPass}, "nl": {kind: kindReads}, "wc": {kind: kindReads},
		"ls": {kind: kindReads, takes: " -I -w -T "}, "tree": {kind: kindReads, takes: " -L -I -P "}, "du": {kind: kindReads, takes: " -d --max-depth "}, "stat": {kind: kindReads, takes: " -c -f "}, "file": {kind: kindReads},
		"exa": {kind: kindReads}, "eza": {kind: kindReads}, "readlink": {kind: kindReads}, "realpath": {kind: kindReads},
		"diff": {kind: kindReads, takes: " -U -C -I "}, "cmp": {kind: kindReads}, "comm": {kind: kindReads}, "join": {kind: kindReads, takes: " -t -1 -2 -o "}, "paste": {kind: kindReads, takes: " -d "},
		"cut": {kind: kindReads, takes: " -d -f -c -b "}, "tr": {}, "column": {kind: kindReads, takes: " -t -s "}, "fold": {kind: kindReads, takes: " -w "}, "fmt": {kind: kindReads, takes: " -w "},
		"rev": {kind: kindReads}, "od": {kind: kindReads, takes: " -t -A -N -j "}, "xxd": {kind: kindReads, takes: " -l -s -c "}, "hexdump": {kind: kindReads, takes: " -n -s -e "}, "strings": {kind: kindReads, takes: " -n "},
		"md5sum": {kind: kindReads}, "sha1sum": {kind: kindReads}, "sha256sum": {kind: kindReads}, "sha512sum": {kind: kindReads}, "shasum": {kind: kindReads, takes: " -a "}, "cksum": {kind: kindReads}, "base64": {kind: kindReads, takes: " -w "},
		"base32": {kind: kindReads}, "zcat": {kind: kindReads}, "bzcat": {kind: kindReads}, "xzcat": {kind: kindReads}, "gzcat": {kind: kindReads}, "iconv": {kind: kindReads, takes: " -f -t -o "},
		"expand": {kind: kindReads}, "envsubst": {}, "csplit": {kind: kindReads}, "split": {kind: kindCopies, takes: " -b -l -n -a "},
		"jq": {kind: kindPattern, takes: " -f --arg --argjson --slurpfile --rawfile --indent "}, "yq": {kind: kindPattern}, "xmllint": {kind: kindReads}, "pdftotext": {kind: kindReads},
		"grep":  {kind: kindPattern, takes: " -e -f -A -B -C -m --include --exclude --exclude-dir --regexp --file --max-count "},
		"egrep": {kind: kindPattern, takes: " -e -f -A -B -C -m "}, "fgrep": {kind: kindPattern, takes: " -e -f -A -B -C -m "}, "zgrep": {kind: kindPattern, takes: " -e "},
		"rg": {kind: kindPattern, takes: " -e -f -g -t -T -A -B -C -m -j -r --type --glob --max-count --regexp --replace --max-depth "}, "ag": {kind: kindPattern, takes: " -A -B -C -G -m "}, "ack": {kind: kindPattern},
		"fd": {kind: kindFind}, "fdfind": {kind: kindFind}, "find": {kind: kindFind, long: true}, "locate": {},
		"gofmt": {kind: kindReads, takes: " -r "}, "code": {kind: kindReads}, "open": {kind: kindReads}, "xdg-open": {kind: kindReads}, "vi": {kind: kindWrites}, "vim": {kind: kindWrites}, "nvim": {kind: kindWrites}, "nano": {kind: kindWrites}, "emacs": {kind: kindWrites}, "ed": {kind: kindWrites}, "ex": {kind: kindWrites, takes: " -c "},

		"touch": {kind: kindWrites, takes: " -d -t -r "}, "mkdir": {kind: kindWrites, takes: " -m "}, "mkfifo": {kind: kindWrites}, "mknod": {kind: kindWrites}, "truncate": {kind: kindWrites, does: shellDestroy, takes: " -s -r "},
		"fallocate": {kind: kindWrites, takes: " -l -o "}, "tee": {kind: kindTee}, "sponge": {kind: kindTee}, "gzip": {kind: kindWrites}, "gunzip": {kind: kindWrites}, "bzip2": {kind: kindWrites}, "xz": {kind: kindWrites}, "zstd": {kind: kindWrites, takes: " -o "},
		"cp": {kind: kindCopies, takes: " -t -S --target-directory "}, "install": {kind: kindCopies, takes: " -m -o -g -t --target-directory "}, "ln": {kind: kindCopies, takes: " -t -S --target-directory "}, "ditto": {kind: kindCopies},
		"link": {kind: kindCopies}, "symlink": {kind: kindCopies}, "mv": {kind: kindMoves, takes: " -t -S --target-directory "}, "rename": {kind: kindMoves},
		"rm": {kind: kindRemoves}, "rmdir": {kind: kindRemoves}, "unlink": {kind: kindRemoves}, "trash": {kind: kindRemoves}, "shred": {kind: kindRemoves, does: shellDestroy, takes: " -n -s "}, "srm": {kind: kindRemoves, does: shellDestroy}, "wipe": {kind: kindRemoves, does: shellDestroy},
		"mkfs": {kind: kindWrites, does: shellDestroy, takes: " -t -L "}, "mkfs.ext4": {kind: kindWrites, does: shellDestroy}, "mkfs.xfs": {kind: kindWrites, does: shellDestroy}, "wipefs": {kind: kindWrites, does: shellDestroy}, "fdisk": {kind: kindWrites, does: shellDestroy}, "parted": {kind: kindWrites, does: shellDestroy}, "diskutil": {kind: kindQuiet, does: shellDestroy}, "blkdiscard": {kind: kindWrites, does: shellDestroy},
		"sed": {kind: kindSed, takes: " -e -f --expression --file -l "}, "gsed": {kind: kindSed, takes: " -e -f --expression --file -l "}, "dd": {kind: kindDd},
		"awk": {kind: kindAwk, takes: " -F -v -f "}, "gawk": {kind: kindAwk, takes: " -F -v -f -e "}, "mawk": {kind: kindAwk, takes: " -F -v -f "}, "nawk": {kind: kindAwk, takes: " -F -v -f "},
		"tar": {kind: kindUnpack}, "gtar": {kind: kindUnpack}, "bsdtar": {kind: kindUnpack}, "unzip": {kind: kindUnpack}, "7z": {kind: kindUnpack}, "7za": {kind: kindUnpack}, "unrar": {kind: kindUnpack}, "cpio": {kind: kindUnpack}, "zip": {kind: kindCopies}, "ar": {kind: kindCopies},
		"patch": {kind: kindPatch, takes: " -p -i -d -o --input --directory --output "}, "apply_patch": {kind: kindPatch},
	}
}

// outputOptions are options of readers that name a file to write.
var outputOptions = map[string][]string{
	"sort": {"-o", "--output"}, "shuf": {"-o"}, "iconv": {"-o"}, "tree": {"-o"}, "zstd": {"-o"},
}

func (w *walker) readAll(words []value) {
	for _, v := range words {
		for _, p := range w.paths(v) {
			w.read(p)
		}
	}
}

func (w *walker) writeAll(words []value) []string {
	var out []string
	for _, v := range words {
		for _, p := range w.paths(v) {
			w.write(p)
			out = append(out, p)
		}
	}
	return out
}

// reads runs a program that reads its operands. Those of its words that flow out
// again are paths beneath them, where it lists files.
func (w *walker) reads(c *call) stream {
	p := parse(c.args, c.takes, false)
	args := p.args
	if c.kind == kindPattern {
		if p.has("-f", "--file") {
			w.readAll(p.values("-f", "--file"))
		}
		if !p.has("-e", "-f", "--regexp", "--file", "--files") && len(args) > 0 {
			args = args[1:]
		}
	}
	w.writeAll(p.values(outputOptions[c.name]...))
	fromInput := len(args) == 0 || len(args) == 1 && args[0].s == "-"
	switch c.name {
	case "ls", "tree", "du", "exa", "eza":
		if len(args) == 0 {
			args, fromInput = literals("."), false
		}
	case "rg", "ag", "ack":
		if len(args) == 0 && !w.in.there {
			args, fromInput = literals("."), false
		}
	case "grep", "egrep", "fgrep":
		if len(args) == 0 && p.has("-r", "-R", "--recursive") {
			args, fromInput = literals("."), false
		}
	case "gofmt":
		if p.has("-w") {
			w.writeAll(args)
		}
	case "yq", "code":
		if p.has("-i", "--inplace") && len(args) > 0 {
			w.writeAll(args)
		}
	}
	if fromInput {
		out := w.in
		out.known = out.known && c.name == "cat" && len(p.opts) == 0
		if c.kind == kindReads {
			return stream{there: true, web: out.web}
		}
		return out
	}
	w.readAll(args)
	out := stream{there: true}
	switch {
	case c.name == "cat" && len(p.opts) == 0 && len(args) == 1:
		if v := args[0]; v.s == "/dev/fd/63" || v.s == "/dev/stdin" {
			if out = w.fed; v.s == "/dev/stdin" {
				out = w.in
			}
			return out
		}
		for _, f := range w.paths(args[0]) {
			out = w.contents(f)
		}
	case c.name == "ls" || p.has("-l", "--files-with-matches", "--files", "-L"):
		out.names = args
	}
	return out
}

func (w *walker) writes(c *call) stream {
	p := parse(c.args, c.takes, false)
	targets := w.writeAll(p.args)
	switch {
	case c.kind == kindTee:
		w.wrote(targets, w.in)
		return w.in
	case c.name == "ed" || c.name == "ex" || c.name == "vim" || c.name == "vi" || c.name == "nvim" || c.name == "emacs":
		// They take commands that may do anything.
		if len(p.opts) > 0 || w.in.there {
			w.opaque()
		}
		w.found.Interactive = w.found.Interactive || !w.in.there
		w.readAll(p.args)
	case c.name == "gzip" || c.name == "gunzip" || c.name == "bzip2" || c.name == "xz" || c.name == "zstd":
		w.readAll(p.args)
	}
	return stream{there: true, web: w.in.web}
}

// copies runs a program that makes its last operand from the others. Where that is
// a directory cannot be seen, so both readings count.
func (w *walker) copies(c *call) stream {
	p := parse(c.args, c.takes, false)
	from, into := p.args, p.values("-t", "--target-directory")
	if c.name == "install" && p.has("-d") {
		w.writeAll(p.args)
		return stream{there: true}
	}
	if c.name == "zip" || c.name == "ar" {
		if len(from) > 0 {
			w.writeAll(from[:1])
			w.readAll(from[1:])
		}
		return stream{there: true}
	}
	sure := len(into) > 0
	if !sure {
		switch {
		case len(from) == 0:
			return stream{there: true}
		case len(from) == 1:
			if c.name == "ln" {
				into, sure = literals("."), true
				break
			}
			w.unsure() // an operand may be hidden in an option
			w.writeAll(from)
			return stream{there: true}
		default:
			into, from = from[len(from)-1:], from[:len(from)-1]
			sure = len(from) > 1 || strings.HasSuffix(into[0].s, "/") || into[0].s == "." || into[0].s == ".."
		}
	}
	brought := false
	for _, v := range from {
		for _, f := range w.paths(v) {
			w.read(f)
			brought = brought || w.untrusted(f)
			if c.kind == kindMoves {
				w.remove(f)
			}
		}
	}
	for _, to := range into {
		w.copyTo(from, to, sure, brought)
	}
	return stream{there: true}
}

func (w *walker) copyTo(from []value, to value, sure, brought bool) {
	for _, dest := range w.paths(to) {
		if !sure || to.open() || to.glob > 0 {
			w.write(dest)
			w.copied(from, dest, brought)
		}
		for _, v := range from {
			name := path.Base(v.s)
			if !sure && path.Ext(name) != "" && path.Ext(name) == path.Ext(dest) {
				continue // a file of the same kind, not a directory
			}
			if v.open() || v.glob > 0 {
				w.unsure()
				w.write(dest)
				continue
			}
			if name == "." || name == "/" || name == ".." {
				w.write(dest)
				continue
			}
			w.write(cleanPath(dest + "/" + name))
			w.copied(from, cleanPath(dest+"/"+name), brought)
		}
	}
}

// copied carries what is known of a source over to where it was copied.
func (w *walker) copied(from []value, dest string, brought bool) {
	if brought {
		w.fetch(dest)
	}
	if len(from) != 1 {
		return
	}
	for _, f := range w.paths(from[0]) {
		if text, ok := w.written[f]; ok {
			w.wrote([]string{dest}, text)
		}
	}
}

func (w *walker) removes(c *call) stream {
	p := parse(c.args, c.takes, false)
	recursive := c.name == "rm" && p.has("-r", "-R", "--recursive")
	if recursive {
		w.does(shellDestroy)
	}
	for _, v := range p.args {
		paths := w.paths(v)
		for _, path := range paths {
			w.remove(path)
		}
		if recursive || c.name == "trash" || c.name == "srm" {
			w.removesProject(v, paths)
		}
	}
	return stream{there: true}
}

// removesProject says so where whole directories that are deleted hold a root of
// the workspace.
func (w *walker) removesProject(v value, paths []string) {
	if _, cut := v.literalPath(); cut && !v.whole() {
		return
	}
	for _, p := range paths {
		if slices.ContainsFunc(w.ctx.Workspace, func(root string) bool { return beneath(root, p) }) || p == "/" {
			w.does(projectDelete)
		}
	}
}

func (w *walker) dd(c *call) stream {
	for _, v := range c.args {
		name, rest, _ := strings.Cut(v.s, "=")
		switch name {
		case "if":
			w.readAll([]value{literal(rest)})
		case "of":
			w.does(shellDestroy)
			w.wrote(w.writeAll([]value{literal(rest)}), w.in)
		}
	}
	return stream{there: true, web: w.in.web}
}
