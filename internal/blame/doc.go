// Package blame says who said each line of a memory file, as it is, as it was and where it
// changed, for a terminal, for a browser and without a word of the file. It seals nothing:
// what changed since the file was last looked at is shown, and not recorded.
package blame
