package shell

import "path"

// Writes returns the actions that writing a file of that path amounts to beside the
// writing itself, sorted: "file.outside", "file.autorun". It is for tools that write
// files without a shell, and judges as [Analyze] does. The path is absolute.
func Writes(c Context, name string) []string {
	w := newWalker(c, len(name))
	w.write(path.Clean(name))
	var out []string
	for _, a := range w.effects().Actions {
		if a != "shell.execute" {
			out = append(out, a)
		}
	}
	return out
}
