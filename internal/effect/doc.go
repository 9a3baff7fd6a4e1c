// Package effect says what the write of a record changes, or would if it were released, a
// line for each change. Of a call of a server that keeps a knowledge graph it compares
// with what is known to have landed there; of anything else it lists the values.
package effect
