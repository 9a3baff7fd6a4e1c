package memfile

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold brings all spellings of a slash-separated name that some file system opens as
// the same file to one: without regard to case, composed or not, without characters that
// HFS+ and case-folding ext4 skip, and, as Windows reads it, without dots and spaces at
// the end of a part and without the name of a stream. Names that merely look alike stay
// different: no system opens one by the other.
func Fold(name string) string {
	plain, special := true, false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 0x80:
			plain = false
		case c == ':':
			special = true
		case (c == '.' || c == ' ') && (i+1 == len(name) || name[i+1] == '/'):
			special = true
		}
	}
	if plain {
		name = strings.ToLower(name)
	} else {
		name = foldRunes(name)
		special = true // what was skipped may have stood after a dot
	}
	if !special {
		return name
	}
	parts := strings.Split(name, "/")
	for i, p := range parts {
		p, _, _ = strings.Cut(p, ":")
		if p = strings.TrimRight(p, ". "); p != "" {
			parts[i] = p
		}
	}
	return strings.Join(parts, "/")
}

// ligatures are the characters whose full case folding spells ASCII letters.
var ligatures = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st",
}

func foldRunes(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range norm.NFD.String(name) {
		if ignored(r) {
			continue
		}
		if s, ok := ligatures[r]; ok {
			b.WriteString(s)
			continue
		}
		// The least of the characters that differ by case only, in lower case where there
		// is an ASCII one: K, k and the Kelvin sign are k.
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		if least < 0x80 {
			least = unicode.ToLower(least)
		}
		b.WriteRune(least)
	}
	return norm.NFC.String(b.String())
}

// ignored reports whether some file system skips a character of a name: those without a
// form of their own.
func ignored(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	case 0x180B <= r && r <= 0x180F, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F,
		0xFE00 <= r && r <= 0xFE0F, 0xFFF0 <= r && r <= 0xFFF8, 0x1BCA0 <= r && r <= 0x1BCA3, 0x1D173 <= r && r <= 0x1D17A,
		0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

// Plain reads a name as Windows does: it returns the slash-separated name that is
// opened, and what about its spelling hides that; empty: nothing. On other systems such
// a name is one of a file with strange characters in it, which a person there does not
// need and Windows would take for another.
func Plain(name string) (plain, odd string) {
	plain = strings.ReplaceAll(name, `\`, "/")
	for _, p := range [...]string{"//?/", "//./", "/??/"} {
		rest, ok := strings.CutPrefix(plain, p)
		if !ok {
			continue
		}
		odd = "it is the name of a device"
		plain = rest
		if len(rest) >= 4 && strings.EqualFold(rest[:4], "UNC/") {
			plain = "//" + rest[4:]
		}
	}
	share := strings.HasPrefix(plain, "//")
	parts := strings.Split(path.Clean(plain), "/")
	out := parts[:0:0]
	for i, p := range parts {
		if drive(p) {
			if rest := p[2:]; rest != "" {
				odd = "it is relative to the folder of a drive"
				out = append(out, p[:2], rest)
				continue
			}
			if i > 0 {
				odd = "a drive is named within it"
			}
			out = append(out, p)
			continue
		}
		switch {
		case strings.Contains(p, ":"):
			odd = "it names a stream of a file"
		case p != "." && p != ".." && strings.TrimRight(p, ". ") != p:
			odd = "a part of it ends in a dot or a space"
		case device(p):
			odd = "it is the name of a device"
		}
		out = append(out, p)
	}
	plain = strings.Join(out, "/")
	if share && !strings.HasPrefix(plain, "//") {
		plain = "/" + plain
	}
	if odd == "" && strings.Contains(name, `\`) {
		odd = "it is spelt with backslashes"
	}
	return plain, odd
}

// drive reports whether a part begins with the letter of a drive.
func drive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// device reports whether a part is what Windows opens as a device whatever its folder.
func device(p string) bool {
	p, _, _ = strings.Cut(strings.ToLower(p), ".")
	switch p = strings.TrimRight(p, " "); p {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	return len(p) == 4 && (p[:3] == "com" || p[:3] == "lpt") && '1' <= p[3] && p[3] <= '9'
}

// short reports whether name could be the short form (8.3) that Windows gives to a file
// whose long name fits the pattern p of one part. Both are folded.
func short(p, name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	head, number, ok := strings.Cut(stem, "~")
	if !ok || head == "" || len(stem) > 8 || len(ext) > 3 || number == "" || strings.Trim(number, "0123456789") != "" {
		return false
	}
	long := strings.TrimLeft(p, ". ")
	suffix := ""
	if i := strings.LastIndexByte(long, '.'); i >= 0 {
		long, suffix = long[:i], long[i+1:]
	}
	if !strings.ContainsAny(suffix, "*?") && ext != suffix[:min(len(suffix), 3)] {
		return false
	}
	open := false
	if i := strings.IndexAny(long, "*?"); i >= 0 {
		long, open = long[:i], true
	}
	long = strings.NewReplacer(".", "", " ", "", "+", "_", ",", "_", ";", "_", "=", "_", "[", "_", "]", "_").Replace(long)
	n := min(len(head), len(long))
	// After four files of one beginning Windows keeps two letters and four digits of a hash.
	hashed := len(head) == 6 && len(long) >= 2 && head[:2] == long[:2] && strings.Trim(head[2:], "0123456789abcdef") == ""
	return head[:n] == long[:n] && (open || n == len(head)) || hashed
}
